/** User code that is compiled but never run. Lines that must not compile are marked with @ts-expect-error. */

import type { CallbackContext } from '../../src/callbacks/callback-context.ts';
import {
  addContext,
  allow,
  answerQuestions,
  askUser,
  type Decision,
  decideLater,
  deferTool,
  deny,
  modifyInput,
  replaceOutput,
  stopTurn,
} from '../../src/callbacks/decisions.ts';
import type { Hook, HookRun, Hooks } from '../../src/callbacks/hook-events.ts';
import type { HookInput, PreToolUseInput, StopInput } from '../../src/callbacks/hook-inputs.ts';
import type { CanUseTool, PermissionRequest } from '../../src/callbacks/permission-request.ts';
import type { PermissionUpdate } from '../../src/callbacks/permission-update.ts';
import { permissions } from '../../src/options/permission-policy.ts';

export const byEvent: Hooks = {
  PreToolUse: [
    { matcher: 'Bash', run: (input) => (input.tool_name === 'Bash' ? deny(input.tool_input.command) : undefined) },
    async (input, ctx) => {
      ctx.signal.throwIfAborted();
      return input.tool_name === 'mcp__files__move' ? modifyInput({ ...input.tool_input, to: '/tmp' }) : allow();
    },
  ],
  PostToolUse: { run: (input) => replaceOutput(input.tool_response), timeoutMs: 5, onFailure: 'block' },
  UserPromptSubmit: (input) => addContext(input.prompt.toUpperCase()),
  Stop: async (input: StopInput) => (input.stop_hook_active ? undefined : deny('not yet')),
  SessionEnd: () => {},
  Notification: async () => {},
  PreCompact: () => ({ decision: 'block', reason: 'later' }),
  PermissionRequest: (input) => allow({ updatedPermissions: input.permission_suggestions }),
  SubagentStop: (input) => stopTurn(input.agent_id),
};

export const wrong: Hooks = {
  // @ts-expect-error A tool event has no field prompt.
  PreToolUse: (input) => deny(input.prompt),
  // @ts-expect-error A hook returns a decision, not a string.
  Stop: () => 'no',
  // @ts-expect-error There are only two policies.
  PostToolUse: { run: () => {}, onFailure: 'explode' },
  // @ts-expect-error Only permission requests can be decided later.
  UserPromptSubmit: () => decideLater(),
};

export const misspelt: readonly Hooks[] = [
  // @ts-expect-error A misspelt event is an error.
  { PreTooUse: { onFailure: 'block', run: () => deny('no') } },
  // @ts-expect-error A misspelt event next to others is an error, too.
  { PreToolUse: () => deny('no'), userPromptSubmit: () => deny('no') },
  // @ts-expect-error An event of a newer CLI needs a type.
  { BrandNew: { newerEvent: true, run: () => deny('no') } },
];

export function byTool(input: PreToolUseInput): string {
  switch (input.tool_name) {
    case 'Bash':
      return input.tool_input.command;
    case 'Write':
    case 'Read':
      return input.tool_input.file_path;
    case 'Edit':
      return input.tool_input.new_string;
    case 'Agent':
    case 'Task':
      return input.tool_input.prompt;
    case 'mcp__other__thing':
      return String(input.tool_input.anything);
    default: {
      const name: string = input.tool_name;
      return name;
    }
  }
}

export function byRejection(input: PreToolUseInput): string {
  if (input.tool_name !== 'Bash') return input.tool_name;
  // @ts-expect-error A command is not a number.
  const wrongKind: number = input.tool_input.command;
  return String(wrongKind) + input.tool_input.command;
}

export function byName(input: HookInput): unknown {
  if (input.hook_event_name === 'Stop') return input.stop_hook_active;
  if (input.hook_event_name === 'PreToolUse' && input.tool_name === 'Grep') return input.tool_input.pattern;
  if (input.hook_event_name === 'SubagentStop') return input.agent_transcript_path.length;
  // @ts-expect-error What is left may be anything.
  return input.stop_hook_active.valueOf();
}

export function byDecision(decision: Decision): string {
  switch (decision.decision) {
    case 'deny':
    case 'stopTurn':
      return decision.reason;
    case 'addContext':
      return decision.text;
    case 'allow':
      return decision.reason ?? '';
    case 'answerQuestions':
      return Object.keys(decision.answers).join();
    case 'askUser':
    case 'modifyInput':
    case 'replaceOutput':
    case 'deferTool':
    case 'decideLater':
      return decision.decision;
  }
}

export const decide: CanUseTool = async (request, ctx: CallbackContext) => {
  if (ctx.signal.aborted) return deny('too late', { interrupt: true });
  if (request.kind === 'question') return answerQuestions({ [request.input.questions[0]?.question ?? '']: ['A', 'B'] });
  if (request.kind === 'plan') return request.input.plan === undefined ? decideLater() : deny('no plans');
  if (request.toolName === 'Bash' && request.input.command.startsWith('rm ')) return deny('no');
  return allow({ updatedPermissions: request.suggestions, updatedInput: { ...request.input } });
};

// @ts-expect-error A permission is not deferred.
export const wrongDecision: CanUseTool = () => deferTool();

export function bySuggestion(update: PermissionUpdate): readonly string[] {
  if (update.type === 'setMode') return [update.mode];
  if (update.type === 'addRules') return update.rules.map((rule) => rule.toolName);
  return update.type === 'addDirectories' ? update.directories : [update.type];
}

export const fragment: { readonly allowedTools?: readonly string[] } = permissions({ allow: ['Read'], ask: decide });
export const run: HookRun<PreToolUseInput> = () => askUser('really?');
export const hook: Hook<PreToolUseInput> = { matcher: null, run };
export const plain: string = JSON.stringify({} as PermissionRequest);
