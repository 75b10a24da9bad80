// Permission callbacks, hooks, elicitation and subagents.
import type {
  AgentDefinition,
  CanUseTool,
  HookCallback,
  HookCallbackMatcher,
  HookEvent,
  HookInput,
  HookJSONOutput,
  Options,
  PermissionMode,
  PermissionResult,
  PermissionUpdate,
  PostToolUseHookInput,
  PreToolUseHookInput,
  SyncHookJSONOutput,
} from '@anthropic-ai/claude-agent-sdk';
import { HOOK_EVENTS, query } from '@anthropic-ai/claude-agent-sdk';

export const canUseTool: CanUseTool = async (toolName, input, { signal, suggestions, toolUseID, agentID }) => {
  if (signal.aborted) return { behavior: 'deny', message: 'Too late.', interrupt: true };
  if (toolName === 'Bash' && String(input.command).includes('rm')) return { behavior: 'deny', message: 'No.' };
  const updatedPermissions: PermissionUpdate[] = suggestions ?? [];
  console.log(toolUseID, agentID);
  return { behavior: 'allow', updatedInput: { ...input, checked: true }, updatedPermissions };
};

/** A callback with only the arguments it needs, and results created elsewhere. */
export const always = async (_name: string, input: Record<string, unknown>): Promise<PermissionResult> => ({
  behavior: 'allow',
  updatedInput: input,
});

const rule: PermissionUpdate = {
  type: 'addRules',
  rules: [{ toolName: 'Read', ruleContent: '/tmp/**' }],
  behavior: 'allow',
  destination: 'session',
};

export const guard: HookCallback = async (input: HookInput, toolUseID, { signal }): Promise<HookJSONOutput> => {
  if (input.hook_event_name !== 'PreToolUse' || signal.aborted) return { continue: true };
  const given = input as PreToolUseHookInput;
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: given.tool_name === 'Write' ? 'deny' : 'allow',
      permissionDecisionReason: `${toolUseID ?? 'no id'} in ${given.cwd}`,
      updatedInput: { ...(given.tool_input as Record<string, unknown>) },
    },
  };
};

const log: HookCallback = async (input) => {
  const done = input as PostToolUseHookInput;
  console.log(done.tool_name, done.tool_response);
  const output: SyncHookJSONOutput = { systemMessage: 'Noted.' };
  return output;
};

const later: HookCallback = async () => ({ async: true, asyncTimeout: 1000 });

const hooks: Partial<Record<HookEvent, HookCallbackMatcher[]>> = {
  PreToolUse: [{ matcher: 'Write|Edit', hooks: [guard], timeout: 30 }],
  PostToolUse: [{ hooks: [log, later] }],
};
for (const event of HOOK_EVENTS) hooks[event] ??= [];

const agents: Record<string, AgentDefinition> = {
  reviewer: { description: 'Reviews.', prompt: 'You review.', tools: ['Read', 'Grep'], model: 'haiku' },
};

const modes: PermissionMode[] = ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk'];

export async function main(): Promise<void> {
  const options: Options = { canUseTool, hooks, agents, permissionMode: modes[0] ?? 'default' };
  options.onElicitation = async ({ serverName, message }, { signal }) =>
    signal.aborted ? { action: 'cancel' } : { action: 'accept', content: { answer: `${serverName} ${message}` } };
  for await (const _message of query({ prompt: 'Go.', options: { ...options, allowedTools: ['Read'] } })) break;
  console.log(rule.type);
}
