import { type JsonObject, type JsonValue, objectOf } from '../../json.ts';
import { transcriptPath } from './config-paths.ts';
import type { Conversation } from './conversation.ts';
import type { HookRegistration } from './hook-registration.ts';
import { controlRequest, type Reply } from './host-request.ts';
import { ask } from './requests.ts';
import { join, type Program, sleep } from './tasks.ts';
import type { Turn } from './turn.ts';

/** The combined answers of all callbacks of one event. */
export interface HookVerdict {
  deny?: string;
  allow?: true;
  ask?: string;
  defer?: true;
  /** Set when the turn is to stop; the reason may be empty. */
  stop?: string;
  updatedInput?: JsonObject;
  updatedOutput?: JsonValue;
  /** Whether a callback added context for the model. */
  context?: string;
  /** Answers that only this event understands. */
  specific?: JsonObject;
  /** The decision of a PermissionRequest hook. */
  decision?: JsonObject;
  /** Why the event could not be decided. */
  broken?: 'timeout' | 'closed' | 'wrong-event';
  readonly notes: string[];
  readonly failures: string[];
}

/** Runs every callback registered for an event at once, and combines their answers. */
export function* fireHooks(
  conversation: Conversation,
  turn: Turn,
  event: string,
  what: { readonly input: JsonObject; readonly toolName?: string; readonly toolUseId?: string },
): Program<HookVerdict> {
  const verdict: HookVerdict = { notes: [], failures: [] };
  const registrations = conversation.hooks.filter(
    (hook) => hook.event === event && (what.toolName === undefined || matches(hook.matcher, what.toolName)),
  );
  const input = { ...commonInput(conversation, turn, event), ...what.input };
  const tool_use_id = what.toolUseId ?? conversation.world.newId();
  const asking = registrations.flatMap((hook) =>
    hook.callbackIds.map((callback_id) => {
      const request = controlRequest(conversation, { subtype: 'hook_callback', callback_id, input, tool_use_id });
      return conversation.tasks.start(askOne(conversation, hook, callback_id, request, verdict));
    }),
  );
  if (asking.every(({ done }) => done)) return verdict;
  const beating = conversation.tasks.start(heartbeat(conversation, event, tool_use_id));
  try {
    yield* join(asking);
  } finally {
    conversation.tasks.interrupt(beating);
  }
  return verdict;
}

/** Reports the callbacks' messages, and which of them failed. */
export function tellFailures(conversation: Conversation, verdict: HookVerdict): void {
  for (const content of verdict.failures) {
    const tag = 'hook_callback_failed';
    conversation.emit({ type: 'system', subtype: 'informational', content, level: 'warning', tag });
  }
}

export function tellNotes(conversation: Conversation, verdict: HookVerdict, source: string): void {
  for (const note of verdict.notes) {
    const content = `${source} says: ${note}`;
    conversation.emit({ type: 'system', subtype: 'informational', content, level: 'notice' });
  }
}

/** Shows that the CLI is alive while a hook runs. */
function* heartbeat(conversation: Conversation, event: string, toolUseId: string): Program {
  const everyMs = conversation.script.cli.heartbeatMs;
  for (let beat = 0; ; beat += 1) {
    yield* sleep(everyMs);
    conversation.emit({
      type: 'tool_progress',
      tool_use_id: `hook-${event}-${toolUseId}-heartbeat-${beat}`,
      tool_name: event,
      parent_tool_use_id: toolUseId,
      elapsed_time_seconds: ((beat + 1) * everyMs) / 1000,
      heartbeat: true,
    });
  }
}

function* askOne(
  conversation: Conversation,
  hook: HookRegistration,
  callbackId: string,
  request: ReturnType<typeof controlRequest>,
  verdict: HookVerdict,
): Program {
  const reply = yield* ask(conversation, request, hook.timeoutMs);
  if (reply.kind === 'timeout' || reply.kind === 'closed') {
    verdict.broken = reply.kind;
    return;
  }
  const output = validOutput(hook.event, reply);
  if (output === 'wrong-event') {
    verdict.broken = output;
  } else if (output === undefined) {
    fail(hook, callbackId, verdict);
  } else {
    take(conversation, hook.event, output, verdict);
  }
}

/** What a callback answered, unless the CLI would reject it. */
function validOutput(event: string, reply: Reply): JsonObject | 'wrong-event' | undefined {
  if (reply.kind !== 'answer') return undefined;
  const output = objectOf(reply.response);
  const specific = objectOf(output?.hookSpecificOutput);
  if (output === undefined || specific === undefined) return output;
  if (typeof specific.hookEventName !== 'string') return undefined;
  if (specific.hookEventName !== event) return 'wrong-event';
  const { permissionDecision = 'allow' } = specific;
  return typeof permissionDecision === 'string' && decisions.has(permissionDecision) ? output : undefined;
}

const decisions: ReadonlySet<string> = new Set(['allow', 'deny', 'ask', 'defer']);

function fail(hook: HookRegistration, callbackId: string, verdict: HookVerdict): void {
  const failed = `Hook callback ${callbackId} failed: the SDK host replied with an error or an invalid answer.`;
  if (hook.blocksOnFailure) {
    verdict.failures.push(`${hook.event}: ${failed} onFailure is "block", so this failure counts as a block.`);
    verdict.deny = `[callback]: failed; blocking because onFailure is "block"\n${failed}`;
  } else {
    verdict.failures.push(`${hook.event}: ${failed} Its answer was treated as empty.`);
  }
}

function take(conversation: Conversation, event: string, output: JsonObject, verdict: HookVerdict): void {
  if (output.async === true) return;
  const specific = objectOf(output.hookSpecificOutput) ?? {};
  const { permissionDecision, permissionDecisionReason, updatedInput, additionalContext, updatedToolOutput } = specific;
  if (output.continue === false) verdict.stop = textOr(output.stopReason, '');
  if (typeof output.systemMessage === 'string') verdict.notes.push(output.systemMessage);
  if (typeof additionalContext === 'string') {
    conversation.record({ kind: 'context', event, text: additionalContext });
    verdict.context = additionalContext;
  }
  if (output.decision === 'block') verdict.deny = textOr(output.reason, 'Blocked by hook');
  if (output.decision === 'approve') verdict.allow = true;
  if (permissionDecision === 'deny') verdict.deny = textOr(permissionDecisionReason, 'Blocked by hook');
  if (permissionDecision === 'ask') verdict.ask = textOr(permissionDecisionReason, '');
  if (permissionDecision === 'allow') verdict.allow = true;
  if (permissionDecision === 'defer') verdict.defer = true;
  if (updatedToolOutput !== undefined) verdict.updatedOutput = updatedToolOutput;
  const newInput = objectOf(updatedInput);
  if (newInput) verdict.updatedInput = newInput;
  verdict.specific = specific;
  const decision = objectOf(specific.decision);
  if (decision) verdict.decision = decision;
}

/** A matcher of plain names is a list; anything else is a regular expression, and an invalid one never matches. */
function matches(matcher: string | null, toolName: string): boolean {
  if (matcher === null || matcher === '' || matcher === '*') return true;
  if (/^[\w|, ]+$/.test(matcher)) return matcher.split(/[|,]/).some((name) => name.trim() === toolName);
  try {
    return new RegExp(matcher).test(toolName);
  } catch {
    return false;
  }
}

function commonInput(conversation: Conversation, turn: Turn, event: string): JsonObject {
  return {
    session_id: conversation.sessionId,
    transcript_path: transcriptPath(conversation),
    cwd: conversation.world.cwd,
    prompt_id: turn.promptId,
    ...speakerInput(turn),
    ...(inTurn.has(event) && { permission_mode: conversation.permissionMode }),
    ...(inTurn.has(event) && event !== 'UserPromptSubmit' && { effort: { level: 'medium' } }),
    hook_event_name: event,
  };
}

/** The events that carry the turn's settings; the others are not part of a turn. */
const inTurn: ReadonlySet<string> = new Set([
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'PermissionRequest',
  'Stop',
  'SubagentStop',
]);

/** Hooks for a subagent's actions receive the subagent's identity. */
function speakerInput({ speaker }: Turn): JsonObject {
  const { agent_id, subagent_type } = speaker.fields;
  return agent_id === undefined ? {} : { agent_id, agent_type: subagent_type };
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
