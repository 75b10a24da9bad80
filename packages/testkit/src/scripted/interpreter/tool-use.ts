import type { JsonObject, JsonValue } from '../../json.ts';
import type { ToolCall } from '../script-data.ts';
import { settingsAsk } from './asking-setting.ts';
import { rememberEdit } from './checkpoints.ts';
import type { Conversation } from './conversation.ts';
import type { ToolOutcome } from './effects.ts';
import { elicit } from './elicitation.ts';
import { toolResultMeta, userFrame } from './frames/messages.ts';
import { contentOf, type ToolOutput, toolOutput } from './frames/tool-output.ts';
import { fireHooks, type HookVerdict, reportFailures, reportNotes } from './hooks.ts';
import { callTool, hostedTool } from './mcp.ts';
import { setPermissionMode } from './permission-mode.ts';
import { isDeniedFile } from './permission-rules/denied-file.ts';
import { isRemoved, termsOf } from './permission-terms.ts';
import { type Decision, decide } from './permissions.ts';
import { join, type Program, sleep } from './tasks.ts';
import type { Turn } from './turn.ts';

/** A tool call of the agent. */
export interface ToolUse {
  readonly call: ToolCall;
  readonly id: string;
}

/** The combined outcome of all tool calls of one message. */
export interface ToolsOutcome {
  /** True if a hook stops the turn. */
  stopped: boolean;
  /** True if the host refused a call and ends the turn. */
  interrupted: boolean;
  /** The call deferred by a hook, with which the turn ends. */
  deferred?: JsonObject;
  readonly responses: JsonObject[];
}

/** Runs the tool calls of one message: read-only ones in parallel, the others in sequence. */
export function* runTools(conversation: Conversation, turn: Turn, uses: readonly ToolUse[]): Program<ToolsOutcome> {
  const outcome: ToolsOutcome = { stopped: false, interrupted: false, responses: [] };
  const reading = uses.filter(({ call }) => readers.has(call.name));
  const tasks = reading.map((use) => conversation.tasks.start(runTool(conversation, turn, use, outcome)));
  const rest = uses.filter((use) => !reading.includes(use));
  tasks.push(conversation.tasks.start(inOrder(conversation, turn, rest, outcome)));
  yield* join(tasks);
  return outcome;
}

const readers: ReadonlySet<string> = new Set(['Read', 'Glob', 'Grep', 'WebSearch']);

function* inOrder(conversation: Conversation, turn: Turn, uses: readonly ToolUse[], outcome: ToolsOutcome): Program {
  for (const use of uses) {
    if (outcome.interrupted) return;
    yield* runTool(conversation, turn, use, outcome);
  }
}

function* runTool(conversation: Conversation, turn: Turn, use: ToolUse, outcome: ToolsOutcome): Program {
  const admitted = yield* admit(conversation, turn, use, outcome);
  if (admitted) yield* execute(conversation, turn, use, admitted, outcome);
}

/** A permitted call. */
export interface Admitted {
  readonly decision: Extract<Decision, { allowed: true }>;
  readonly pre: HookVerdict;
}

/** Asks hooks, rules and the host for permission; answers a refused call. */
export function* admit(
  conversation: Conversation,
  turn: Turn,
  use: ToolUse,
  outcome: ToolsOutcome,
): Program<Admitted | undefined> {
  const { call, id } = use;
  const missing = unavailable(conversation, call);
  if (missing !== undefined) {
    conversation.record({ kind: 'tool', name: call.name, input: call.input, outcome: 'unavailable' });
    const content = `<tool_use_error>${missing}</tool_use_error>`;
    finish(conversation, turn, use, { content, output: missing, isError: true, meta: {} });
    return undefined;
  }
  const input = withAbsolutePath(call.input, conversation.world.cwd);
  const where = {
    input: { tool_name: call.name, tool_input: input, tool_use_id: id },
    toolName: call.name,
    toolUseId: id,
  };
  const pre = yield* fireHooks(conversation, turn, 'PreToolUse', where);
  reportFailures(conversation, pre);
  if (settingsAsk(conversation.world.settings, id)) pre.ask ??= '';
  if (pre.stop !== undefined) outcome.stopped = true;
  if (pre.defer && pre.deny === undefined) {
    outcome.deferred = { id, name: call.name, input };
    return undefined;
  }
  const blocked = blockedByHook(call, pre);
  if (blocked) {
    refuse(conversation, turn, use, input, blocked);
    return undefined;
  }
  const pending = { call, id, input: pre.updatedInput ?? input };
  const decision = yield* decide(conversation, turn, pending, pre);
  if (decision.allowed) return { decision, pre };
  if (decision.interrupt === true) outcome.interrupted = true;
  // Otherwise the end of the turn refuses all calls of its last message.
  if (decision.interrupt !== true || turn.continues !== undefined)
    refuse(conversation, turn, use, input, { ...decision, listed: true });
  return undefined;
}

/** Why the call is impossible: the agent does not have this tool, or not for this file. */
function unavailable(conversation: Conversation, call: ToolCall): string | undefined {
  const missing = missingTool(conversation, call);
  if (missing !== undefined || !isDeniedFile(call, termsOf(conversation))) return missing;
  return 'File is in a directory that is denied by your permission settings.';
}

/** Why the agent does not have a tool. */
export function missingTool(conversation: Conversation, call: ToolCall): string | undefined {
  const { name } = call;
  if (isRemoved(conversation, name) || isLeftOut(conversation, name)) {
    return `Error: No such tool available: ${name}. ${name} is disabled for this session, in subagents as well as here.`;
  }
  const missing = name.startsWith('mcp__') && call.result === null && !hostedTool(conversation, name);
  return missing ? `Error: No such tool available: ${name}` : undefined;
}

/** True if the host's list of tools excludes this one. */
function isLeftOut({ args }: Conversation, name: string): boolean {
  const listed = args.flags.get('--tools')?.flatMap((names) => names.split(','));
  if (listed === undefined || listed.includes('default') || name.startsWith('mcp__')) return false;
  return BUILT_IN.has(name) && !listed.includes(name);
}

/** Tools that only the list of tools adds or removes. */
const BUILT_IN: ReadonlySet<string> = new Set([
  'Bash',
  'Read',
  'Edit',
  'Write',
  'NotebookEdit',
  'Glob',
  'Grep',
  'WebFetch',
  'WebSearch',
]);

/** A refused call. */
export interface Refusal {
  readonly message: string;
  readonly meta: JsonObject;
  readonly announced?: JsonObject;
  readonly listed: boolean;
}

function blockedByHook(call: ToolCall, pre: HookVerdict): Refusal | undefined {
  const unfinished = 'The tool call was not executed; other configured hooks may not have completed.';
  if (pre.deny !== undefined) {
    const message = pre.stop === undefined ? `PreToolUse:${call.name} hook error: ${pre.deny}` : pre.deny;
    const permission_decision = { decision: 'reject', source: 'hook', reason_type: 'hook' };
    return { message, meta: { non_execution_kind: 'permission-rule', permission_decision }, listed: true };
  }
  if (pre.broken === 'closed') {
    const message =
      "The user doesn't want to take this action right now. STOP what you are doing and wait for the user to tell you how to proceed.";
    return { message, meta: { non_execution_kind: 'cancelled' }, listed: false };
  }
  if (pre.broken === 'timeout') {
    const message = `PreToolUse hook did not respond before its timeout (host client may be unreachable). ${unfinished}`;
    return { message, meta: {}, listed: false };
  }
  if (pre.broken === 'wrong-event') {
    return { message: `PreToolUse hook failed with an unexpected error. ${unfinished}`, meta: {}, listed: false };
  }
  return undefined;
}

/** Answers a call that must not run. */
export function refuse(
  conversation: Conversation,
  turn: Turn,
  use: ToolUse,
  input: JsonObject,
  refusal: Refusal,
): void {
  const { call, id } = use;
  const { message, meta } = refusal;
  turn.wasRefused = true;
  conversation.record({ kind: 'tool', name: call.name, input, outcome: 'refused' });
  if (refusal.listed) turn.denials.push({ tool_name: call.name, tool_use_id: id, tool_input: input });
  if (refusal.announced) {
    const about = { tool_name: call.name, tool_use_id: id, ...refusal.announced };
    conversation.emit({ type: 'system', subtype: 'permission_denied', ...about });
  }
  const output = meta.non_execution_kind === 'cancelled' ? message : `Error: ${message}`;
  finish(conversation, turn, use, { content: message, output, isError: true, meta });
}

function* execute(
  conversation: Conversation,
  turn: Turn,
  use: ToolUse,
  { decision: { input, meta }, pre }: Admitted,
  outcome: ToolsOutcome,
): Program {
  const { call, id } = use;
  rememberEdit(conversation, turn, input);
  if (call.name === 'ExitPlanMode' && conversation.permissionMode === 'plan')
    setPermissionMode(conversation, 'default');
  const startedAt = conversation.now();
  let { content, output, isError } = yield* outputOf(conversation, turn, use, input);
  const ran = { tool_name: call.name, tool_input: input };
  const duration_ms = conversation.now() - startedAt;
  const [event, hookInput] = isError
    ? ['PostToolUseFailure', { ...ran, tool_use_id: id, error: String(content), is_interrupt: false, duration_ms }]
    : ['PostToolUse', { ...ran, tool_response: output, tool_use_id: id, duration_ms }];
  const post = yield* fireHooks(conversation, turn, event, { input: hookInput, toolName: call.name, toolUseId: id });
  reportFailures(conversation, post);
  if (post.stop !== undefined) outcome.stopped = true;
  if (post.updatedOutput !== undefined) {
    output = post.updatedOutput;
    content = contentOf(post.updatedOutput);
  }
  reportNotes(conversation, pre, `PreToolUse:${call.name}`);
  reportNotes(conversation, post, `${event}:${call.name}`);
  if (post.deny !== undefined) conversation.record({ kind: 'context', event, text: post.deny });
  outcome.responses.push({ ...ran, tool_use_id: id, tool_response: content });
  finish(conversation, turn, use, { content, output, isError, meta });
}

/** The MCP server a tool belongs to. */
function serverOf(toolName: string): string {
  return /^mcp__(.+?)__/.exec(toolName)?.[1] ?? toolName;
}

function* outputOf(
  conversation: Conversation,
  turn: Turn,
  use: ToolUse,
  input: JsonObject,
): Program<ToolOutput & { isError: boolean }> {
  const { call, id } = use;
  const record = (outcome: ToolOutcome): void => conversation.record({ kind: 'tool', name: call.name, input, outcome });
  const hosted = call.result === null ? hostedTool(conversation, call.name) : undefined;
  if (hosted === undefined) {
    record('ran');
    yield* sleep(call.durationMs);
    if (call.elicits) yield* elicit(conversation, turn, serverOf(call.name), call.elicits);
    return { ...toolOutput(call, input), isError: call.isError };
  }
  // Only the answer shows whether the host's tool accepted its input.
  let outcome: ToolOutcome = 'ran';
  try {
    yield* sleep(call.durationMs);
    const answer = yield* callTool(conversation, hosted, { input, toolUseId: id });
    if (answer.invalid) outcome = 'invalid';
    const { content, isError } = answer;
    return { content, output: isError ? `Error: ${content}` : content, isError };
  } finally {
    record(outcome);
  }
}

function finish(
  conversation: Conversation,
  turn: Turn,
  { call, id }: ToolUse,
  what: { content: string | readonly JsonObject[]; output: JsonValue; isError: boolean; meta: JsonObject },
): void {
  const { content, output, isError, meta } = what;
  const errorField = isError || call.name === 'Bash' ? { is_error: isError } : {};
  const block = { tool_use_id: id, type: 'tool_result', content, ...errorField };
  turn.openTools.delete(id);
  turn.userMessages += 1;
  const outcome = turn.speaker.quiet ? {} : { tool_use_result: output };
  const extra = Object.keys(meta).length > 0 ? toolResultMeta(id, meta) : {};
  conversation.write(userFrame(conversation, turn, [block], { ...outcome, ...extra }));
}

function withAbsolutePath(input: JsonObject, cwd: string): JsonObject {
  const path = input.file_path;
  return typeof path === 'string' && !/^[/~]/.test(path) ? { ...input, file_path: `${cwd}/${path}` } : input;
}
