import { type JsonObject, objectOf } from '../../json.ts';
import type { ToolCall } from '../script-data.ts';
import type { Conversation } from './conversation.ts';
import { grant } from './granted-permissions.ts';
import { fireHooks, type HookVerdict } from './hooks.ts';
import { controlRequest, type Reply } from './host-request.ts';
import { endUndecided } from './not-played.ts';
import { setPermissionMode } from './permission-mode.ts';
import { type Ruling, ruling } from './permission-rules/ruling.ts';
import { termsOf } from './permission-terms.ts';
import { ask } from './requests.ts';
import { reportState } from './session-state.ts';
import type { Program } from './tasks.ts';
import type { Turn } from './turn.ts';

/** Whether a tool call may run, and the decider. */
export type Decision =
  | { readonly allowed: true; readonly input: JsonObject; readonly meta: JsonObject }
  | {
      readonly allowed: false;
      readonly message: string;
      readonly meta: JsonObject;
      /** A `system/permission_denied` precedes the result. */
      readonly announced?: JsonObject;
      /** True if the turn ends here. */
      readonly interrupt?: boolean;
    };

/** A tool call that is waiting for a decision. */
export interface PendingCall {
  readonly call: ToolCall;
  readonly id: string;
  readonly input: JsonObject;
}

/** Decides on a tool call like the CLI: hooks, modes, rules, then the host. */
export function* decide(
  conversation: Conversation,
  turn: Turn,
  pending: PendingCall,
  hook: HookVerdict,
): Program<Decision> {
  const { input, call } = pending;
  const allow = (permission_decision: JsonObject): Decision => ({
    allowed: true,
    input,
    meta: { permission_decision },
  });
  const found = ruling({ name: call.name, input }, termsOf(conversation));
  if (found.decided === 'denies' && found.by === 'rule') return deniedByRule(call, input);
  const verdict = hook.ask === undefined ? settled(call, found, hook) : 'asks';
  if (verdict === 'unknown') {
    const message = endUndecided(conversation, { name: call.name, input }, found);
    return { allowed: false, message, meta: {} };
  }
  if (verdict === 'hook') return allow({ decision: 'accept', source: 'hook', reason_type: 'hook' });
  if (verdict === 'runs') return allow({ decision: 'accept', source: 'config', ...reasonOf(call, found) });
  if (verdict === 'denies') return deniedByRule(call, input);
  if (conversation.permissionMode === 'dontAsk') return deniedByMode(call);
  return yield* askAround(conversation, turn, pending, hook.ask);
}

/** Decides on a call: by a rule or the mode, then by the script, then by the kind of tool. */
function settled(
  { permission }: ToolCall,
  found: Ruling,
  hook: HookVerdict,
): 'runs' | 'asks' | 'denies' | 'hook' | 'unknown' {
  const ruled = found.decided !== 'unknown' && found.by === 'rule';
  const restrained = found.decided === 'unknown' ? found.restrained : ruled && found.decided === 'asks';
  if (hook.allow && !restrained) return 'hook';
  if (found.decided !== 'unknown' && found.by !== 'tool') return found.decided === 'runs' ? 'runs' : 'asks';
  if (permission === 'auto') return found.decided;
  return ({ allow: 'runs', ask: 'asks', deny: 'denies' } as const)[permission];
}

const edits: ReadonlySet<string> = new Set(['Write', 'Edit', 'NotebookEdit']);
function deniedByRule(call: ToolCall, input: JsonObject): Decision {
  const command = call.name === 'Bash' ? ` with command ${input.command}` : '';
  const message = `Permission to use ${call.name}${command} has been denied.`;
  const reason = call.name === 'Bash' ? 'subcommandResults' : 'rule';
  const announced = { decision_reason_type: reason, message };
  return { allowed: false, message, announced, meta: rejectedBy('config', reason) };
}

function reasonOf({ name }: ToolCall, found: Ruling): JsonObject {
  if (found.decided === 'runs' && found.by !== 'tool') return { reason_type: found.by };
  if (name === 'Bash') return { reason_type: 'subcommandResults' };
  return found.decided === 'runs' ? { reason_type: 'mode' } : {};
}

function deniedByMode({ name }: ToolCall): Decision {
  const message = `Permission to use ${name} has been denied because Claude Code is running in don't ask mode.`;
  const announced = { decision_reason_type: 'mode', message };
  return { allowed: false, message, announced, meta: rejectedBy('config', 'mode') };
}

/** Asks the host and the PermissionRequest hooks concurrently; the first decision counts. */
function* askAround(
  conversation: Conversation,
  turn: Turn,
  pending: PendingCall,
  reason: string | undefined,
): Program<Decision> {
  const decided: Decision[] = [];
  const notice = `decided ${pending.id}`;
  const decideOnce = (decision: Decision | undefined): void => {
    if (decision) decided.push(decision);
    conversation.tasks.notify(notice);
  };
  const request = controlRequest(conversation, canUseTool(conversation, turn, pending, reason));
  const host = conversation.args.asksPermission
    ? conversation.tasks.start(askHost(conversation, pending, request, decideOnce))
    : undefined;
  const hooks = conversation.tasks.start(askHooks(conversation, turn, pending, decideOnce));
  try {
    while (decided.length === 0 && !(hooks.done && (host?.done ?? true))) {
      yield { on: 'notice', name: notice, ms: null };
    }
  } finally {
    if (decided.length > 0 && conversation.asked.has(request.id)) request.withdraw();
    if (host) conversation.tasks.interrupt(host);
    conversation.tasks.interrupt(hooks);
    if (host && !conversation.inputEnded) reportState(conversation, 'running');
  }
  return decided[0] ?? nobodyAllowed(pending, reason);
}

function* askHost(
  conversation: Conversation,
  pending: PendingCall,
  request: ReturnType<typeof controlRequest>,
  decided: (decision: Decision) => void,
): Program {
  const open = !conversation.inputEnded;
  if (open) reportState(conversation, 'requires_action');
  const reply = yield* ask(conversation, request, null);
  decided(hostDecision(conversation, pending, reply, open));
}

function* askHooks(
  conversation: Conversation,
  turn: Turn,
  pending: PendingCall,
  decided: (decision: Decision | undefined) => void,
): Program {
  const input = {
    tool_name: pending.call.name,
    tool_input: pending.input,
    permission_suggestions: suggestions(pending.call),
  };
  const where = { input, toolName: pending.call.name, toolUseId: pending.id };
  const { decision } = yield* fireHooks(conversation, turn, 'PermissionRequest', where);
  const byHook = { source: 'hook', reason_type: 'hook' };
  if (decision?.behavior === 'allow') {
    const granted = objectOf(decision.updatedInput) ?? pending.input;
    updatePermissions(conversation, decision.updatedPermissions);
    decided({ allowed: true, input: granted, meta: { permission_decision: { decision: 'accept', ...byHook } } });
  } else if (decision?.behavior === 'deny') {
    const interrupt = decision.interrupt === true;
    const message = String(decision.message ?? 'Denied by hook');
    decided({ allowed: false, message, meta: rejectedBy('hook', 'hook'), interrupt });
  } else {
    decided(undefined);
  }
}

function hostDecision(conversation: Conversation, pending: PendingCall, reply: Reply, wasOpen: boolean): Decision {
  const failed = (message: string): Decision => ({ allowed: false, message, meta: rejectedBy('config', 'other') });
  if (reply.kind === 'error') return failed(`Tool permission request failed: Error: ${reply.error}`);
  if (reply.kind !== 'answer') {
    const why = wasOpen ? 'Tool permission stream closed before response received' : 'Stream closed';
    return failed(`Tool permission request failed: AbortError: ${why}`);
  }
  const response = objectOf(reply.response) ?? {};
  if (response.behavior === 'allow') {
    updatePermissions(conversation, response.updatedPermissions);
    const updated = objectOf(response.updatedInput) ?? {};
    const input = Object.keys(updated).length > 0 ? updated : pending.input;
    return { allowed: true, input, meta: { permission_decision: { decision: 'accept', source: 'user_temporary' } } };
  }
  if (response.behavior !== 'deny' || typeof response.message !== 'string') {
    return failed(
      "The canUseTool callback returned an invalid permission result. Expected {behavior: 'allow', updatedInput?: object} or {behavior: 'deny', message: string}.",
    );
  }
  const permission_decision = { decision: 'reject', source: 'user_reject' };
  const meta = { non_execution_kind: 'permission-rule', permission_decision };
  return { allowed: false, message: response.message, meta, interrupt: response.interrupt === true };
}

/** Grants the permissions that an answer requests. */
function updatePermissions(conversation: Conversation, updates: unknown): void {
  const mode = grant(conversation.granted, updates);
  if (mode !== undefined) setPermissionMode(conversation, mode);
}

function canUseTool(
  conversation: Conversation,
  { speaker }: Turn,
  { call, id, input }: PendingCall,
  reason: string | undefined,
): JsonObject {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(call.name) ?? [];
  const hosted = server === undefined ? {} : { mcp_server: { name: server, source: 'sdk' } };
  const display = tool === undefined ? call.name : tool.charAt(0).toUpperCase() + tool.slice(1);
  const description = input.command ?? (typeof call.input.file_path === 'string' ? call.input.file_path : undefined);
  const interactive = call.name === 'AskUserQuestion' || call.name === 'ExitPlanMode';
  return {
    subtype: 'can_use_tool',
    tool_name: call.name,
    ...hosted,
    display_name: display,
    input,
    ...(description !== undefined && { description }),
    ...(reason === undefined
      ? {
          permission_suggestions: suggestions(call),
          server_policy_ask_only: !conversation.hooks.some(isPermissionHook),
        }
      : {
          decision_reason: reason,
          decision_reason_type: 'hook',
          decision_reason_hook_event: 'PreToolUse',
          decision_reason_hook_source: 'settings',
        }),
    tool_use_id: id,
    ...(speaker.fields.agent_id !== undefined && { agent_id: speaker.fields.agent_id }),
    ...(interactive && { requires_user_interaction: true }),
  };
}

function isPermissionHook({ event }: { readonly event: string }): boolean {
  return event === 'PermissionRequest';
}

function suggestions({ name, input }: ToolCall): readonly JsonObject[] {
  if (edits.has(name)) return [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }];
  const rule = typeof input.command === 'string' ? { toolName: name, ruleContent: input.command } : { toolName: name };
  return [{ type: 'addRules', rules: [rule], behavior: 'allow', destination: 'localSettings' }];
}

function nobodyAllowed({ call, input }: PendingCall, reason: string | undefined): Decision {
  const target = typeof input.file_path === 'string' ? `write to ${input.file_path}` : `use ${call.name}`;
  const message = reason ?? `Claude requested permissions to ${target}, but you haven't granted it yet.`;
  const permission_decision = { decision: 'reject', source: 'config' };
  const announced =
    reason === undefined ? { message } : { decision_reason_type: 'hook', decision_reason: reason, message };
  return { allowed: false, message, announced, meta: { non_execution_kind: 'user-rejected', permission_decision } };
}

function rejectedBy(source: string, reason_type: string): JsonObject {
  return { non_execution_kind: 'permission-rule', permission_decision: { decision: 'reject', source, reason_type } };
}
