import { HOOK_EVENTS, type HookCallback, type HookJSONOutput, type Options } from '@anthropic-ai/claude-agent-sdk';

const deny: HookCallback = async (input, toolUseID, { signal }) => {
  if (signal.aborted || input.hook_event_name !== 'PreToolUse') return {};
  const hookEventName = input.hook_event_name;
  return {
    hookSpecificOutput: { hookEventName, permissionDecision: 'deny', permissionDecisionReason: toolUseID ?? '' },
  };
};

export const hooks: Options['hooks'] = { PreToolUse: [{ matcher: 'Write', hooks: [deny], timeout: 5 }] };
export const events: number = HOOK_EVENTS.length;
export const later: HookJSONOutput = { async: true, asyncTimeout: 5 };
export const unsure: HookJSONOutput = { decision: 'perhaps' }; // wrong
export const other: Options['hooks'] = { BeforeToolUse: [{ hooks: [deny] }] }; // wrong
export const bare: Options['hooks'] = { Stop: [deny] }; // wrong
export const text: HookCallback = async () => 'no'; // wrong
