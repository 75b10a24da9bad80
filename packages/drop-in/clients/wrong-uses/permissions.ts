import type { CanUseTool, PermissionResult, PermissionUpdate } from '@anthropic-ai/claude-agent-sdk';

export const ask: CanUseTool = async (toolName, input, { signal, suggestions, toolUseID }) => {
  if (signal.aborted) return { behavior: 'deny', message: `Too late for ${toolUseID}.` };
  const updates: PermissionUpdate[] = suggestions ?? [];
  for (const update of updates) if (update.type === 'addRules') console.log(update.rules.length, update.behavior);
  if (toolName === 'Bash') return { behavior: 'allow', updatedInput: input, updatedPermissions: updates };
  input.command.trim(); // wrong
  return null;
};

export const wrong: PermissionResult = { behavior: 'maybe' }; // wrong
export const silent: PermissionResult = { behavior: 'deny' }; // wrong
export const mode: PermissionUpdate = { type: 'setMode', mode: 'free', destination: 'session' }; // wrong
export const place: PermissionUpdate = { type: 'addDirectories', directories: [], destination: 'here' }; // wrong
