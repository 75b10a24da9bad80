import type { SDKMessage, SDKRateLimitInfo } from '@anthropic-ai/claude-agent-sdk';

export function limitOf(message: SDKMessage): string | undefined {
  if (message.type !== 'rate_limit_event') return undefined;
  const info: SDKRateLimitInfo = message.rate_limit_info;
  if (info.status === 'rejected') return info.rateLimitType;
  if (info.status === 'refused') return undefined; // wrong
  if (info.overageStatus === 'allowed' && info.isUsingOverage)
    return new Date((info.overageResetsAt ?? 0) * 1000).toString();
  return info.rateLimitTyp; // wrong
}

export const info: SDKRateLimitInfo = { status: 'allowed', resetsAt: 1, utilization: 0.5 };
export const misspelt: SDKRateLimitInfo = { status: 'allowed', resetAt: 1 }; // wrong
