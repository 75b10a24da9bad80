import type { SDKResultMessage } from '@anthropic-ai/claude-agent-sdk';

export function report(message: SDKResultMessage): string {
  const cost: number = message.total_cost_usd + message.usage.cache_read_input_tokens;
  const perModel = Object.values(message.modelUsage).map(({ inputTokens, costUSD }) => inputTokens * costUSD);
  if (message.terminal_reason === 'max_turns') return 'turns';
  if (message.terminal_reason === 'max_turn') return 'turns'; // wrong
  if (message.subtype === 'success') {
    message.errors; // wrong
    return `${message.result} ${cost} ${perModel} ${message.deferred_tool_use?.name} ${message.warm_spare_claimed}`;
  }
  if (message.subtype === 'error_max_budget') return ''; // wrong
  if (message.invalid_config_file?.is_global) return message.invalid_config_file.path;
  message.invalid_config_file?.trim(); // wrong
  return message.errors.join(message.startup_failure_reason === 'cwd_unavailable' ? '!' : '\n') + message.result; // wrong
}
