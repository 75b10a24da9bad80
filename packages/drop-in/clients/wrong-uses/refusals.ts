import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk';

export function refusal(message: SDKMessage): string | null {
  if (message.type !== 'system') return null;
  if (message.subtype === 'model_refusal_fallback')
    return message.direction === 'retry' ? message.fallback_model : message.content;
  if (message.subtype === 'model_refusal_no_fallback') {
    message.fallback_model; // wrong
    return message.request_id ?? message.api_refusal_category ?? null;
  }
  if (message.subtype === 'api_retry') {
    const waited: number | undefined = message.no_response?.waited_ms;
    if (message.no_response === true) return null; // wrong
    return message.error === 'overloaded' ? String(waited) : null;
  }
  if (message.subtype === 'model_refused') return null; // wrong
  if (message.subtype === 'mirror_error') return message.key.projectKey;
  if (message.subtype === 'compact_boundary') return message.compact_metadata.trigger === 'auto' ? 'auto' : 'manual';
  return message.no_response; // wrong
}
