import type { JsonObject } from '../../json.ts';
import type { ToolCall } from '../script-data.ts';
import type { Conversation } from './conversation.ts';
import { CONTINUE, type DeferredCall, deferredCall } from './deferred-call.ts';
import { rememberSession } from './earlier-session.ts';
import { endInterrupted, endTurn, lifecycle } from './endings.ts';
import { initFrame } from './frames/init.ts';
import { settleServers } from './mcp.ts';
import { scriptedCall } from './rest-of-turn.ts';
import { ruleFor } from './rules.ts';
import { answerPrompt, underWay } from './serve.ts';
import { reportState } from './session-state.ts';
import { Interrupted, type Program } from './tasks.ts';
import { endDeferred } from './tool-round.ts';
import { missingTool, refuse, runTools, type ToolsOutcome, type ToolUse } from './tool-use.ts';
import { newTurn, type Turn } from './turn.ts';

/** Asks again, without a prompt, for the call that was deferred in the resumed conversation, and continues its turn. */
export function* continueDeferred(conversation: Conversation): Program {
  const deferred = deferredCall(conversation.transcript);
  if (deferred === undefined) return;
  const turn = newTurn(conversation, { prompt: CONTINUE, continues: conversation.world.newId() });
  rememberSession(conversation);
  reportState(conversation, 'running');
  lifecycle(conversation, turn.continues, 'started');
  while (conversation.initialized === undefined && !conversation.inputEnded) {
    yield { on: 'notice', name: 'input', ms: null };
  }
  if (conversation.ended) return;
  yield* underWay(conversation, turn, conversation.tasks.start(deferredTurn(conversation, turn, deferred)));
}

function* deferredTurn(conversation: Conversation, turn: Turn, deferred: DeferredCall): Program {
  const { id, name, input } = deferred;
  const scripted = deferred.found ? scriptedCall(conversation, deferred) : undefined;
  const use = { id, call: scripted?.call ?? unscripted(name, input) };
  if (isUnavailable(conversation, use.call)) return endUnavailable(conversation, turn, { id, name, input });
  const outcome = deferred.found ? yield* askAgain(conversation, turn, use) : undefined;
  if (conversation.ended) return;
  if (outcome?.deferred) return endDeferred(conversation, turn, outcome.deferred);
  yield* settleServers(conversation);
  // The result of the call does not count as part of this run.
  turn.userMessages = 0;
  turn.phase = 'speaking';
  const added = { isMeta: true, uuid: turn.continues ?? '' };
  conversation.noteEntry({ type: 'user', message: { role: 'user', content: CONTINUE }, ...added });
  if (!outcome?.interrupted) {
    return yield* answerPrompt(conversation, turn, () => scripted?.rest ?? ruleFor(conversation, CONTINUE)?.steps);
  }
  conversation.write(initFrame(conversation, turn));
  endInterrupted(conversation, turn, { withResult: true });
}

/** Runs the call if the hooks and the host permit it. An interrupt refuses it. */
function* askAgain(conversation: Conversation, turn: Turn, use: ToolUse): Program<ToolsOutcome> {
  turn.phase = 'tools';
  turn.openTools.add(use.id);
  try {
    return yield* runTools(conversation, turn, [use]);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    const permission_decision = { decision: 'reject', source: 'user_abort' };
    const meta = { non_execution_kind: 'permission-rule', permission_decision };
    const message = 'Tool permission request aborted';
    refuse(conversation, turn, use, use.call.input, { message, meta, listed: true });
    return { stopped: false, interrupted: true, responses: [] };
  }
}

function unscripted(name: string, input: JsonObject): ToolCall {
  return {
    name,
    input,
    result: null,
    output: null,
    isError: false,
    durationMs: 0,
    permission: 'ask',
    elicits: null,
  };
}

/** True for a missing tool, one whose server in the host is not connected yet, and a question that nobody can answer. */
function isUnavailable(conversation: Conversation, call: ToolCall): boolean {
  if (call.name === 'AskUserQuestion' && !conversation.args.asksPermission) return true;
  const servers = [...conversation.mcpServers.keys()];
  const isHosted = servers.some((server) => call.name.startsWith(`mcp__${server}__`));
  return isHosted || missingTool(conversation, call) !== undefined;
}

/** Ends the run without the call, which stays deferred. */
function endUnavailable(conversation: Conversation, turn: Turn, deferred: JsonObject): void {
  const terminalReason = 'tool_deferred_unavailable';
  turn.stopReason = terminalReason;
  conversation.noteDeferred(deferred);
  const text = `${deferred.name} isn't available, so its deferred call didn't run. Reconnect the tool and resume, or resume with a prompt and CLAUDE_CODE_DROP_UNAVAILABLE_DEFERRED_TOOL=1 to drop the call and continue.`;
  endTurn(conversation, turn, { subtype: 'success', isError: true, terminalReason, text, deferred });
}
