import { BUILTIN_TOOL_NAMES, type HookInput, type PreToolUseHookInput } from '@anthropic-ai/claude-agent-sdk';

export function isWrite(input: PreToolUseHookInput): boolean {
  const names: readonly string[] = BUILTIN_TOOL_NAMES;
  if (input.tool_name === 'TaskUpdate' || input.tool_name === 'Monitor' || input.tool_name === 'mcp__own__tool')
    return true;
  switch (input.tool_name) {
    case 'Write':
    case 'Edit':
    case 'PowerShell':
    case 'SendMessage':
      return true;
    default:
      return names.includes(input.tool_name) && (input.tool_input as { file_path?: string }).file_path !== undefined;
  }
}

export function nameOf(input: HookInput): string | undefined {
  if (input.hook_event_name === 'PostToolUse' || input.hook_event_name === 'PreToolUse') return input.tool_name;
  if (input.hook_event_name === 'Stop') return input.tool_name; // wrong
  if (input.hook_event_name === 'PreTool') return undefined; // wrong
  return input.tool_nam; // wrong
}

export const command = (input: PreToolUseHookInput): string => input.tool_input.command; // wrong
