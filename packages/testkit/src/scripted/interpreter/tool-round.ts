import type { JsonObject } from '../../json.ts';
import { endsOverBudget } from './budget.ts';
import type { Conversation } from './conversation.ts';
import { endInterrupted, endTurn } from './endings.ts';
import { fireHooks } from './hooks.ts';
import { closeMessage } from './speech.ts';
import type { Program } from './tasks.ts';
import type { ToolsOutcome } from './tool-use.ts';
import type { Turn } from './turn.ts';

/** Whether the rest of the turn still runs. */
export type Flow = 'on' | 'cut';

/** Ends a message with tool calls, runs them, and checks whether the turn may continue. */
export function* toolRound(conversation: Conversation, turn: Turn, run: () => Program<ToolsOutcome>): Program<Flow> {
  closeMessage(conversation, turn, 'tool_use');
  if (endsOverBudget(conversation, turn)) return 'cut';
  turn.phase = 'tools';
  turn.wasRefused = false;
  const outcome = yield* run();
  if (outcome.interrupted) {
    endInterrupted(conversation, turn, { withResult: true });
    return 'cut';
  }
  if (outcome.deferred) {
    endDeferred(conversation, turn, outcome.deferred);
    return 'cut';
  }
  if (outcome.responses.length > 0) {
    const input = { tool_calls: outcome.responses };
    const toolUseId = `hook-${conversation.world.newId()}`;
    yield* fireHooks(conversation, turn, 'PostToolBatch', { input, toolUseId });
  }
  if (outcome.stopped) {
    endTurn(conversation, turn, { subtype: 'success', isError: false, terminalReason: 'hook_stopped', text: '' });
    return 'cut';
  }
  return outOfTurns(conversation, turn) ? 'cut' : 'on';
}

/** Ends a turn with a call that a hook defers; the transcript marks it. */
export function endDeferred(conversation: Conversation, turn: Turn, deferred: JsonObject): void {
  turn.stopReason = 'tool_deferred';
  conversation.noteDeferred(deferred);
  const ending = { subtype: 'success', isError: false, terminalReason: 'tool_deferred', text: '', deferred };
  endTurn(conversation, turn, ending);
}

/** `--max-turns` counts API messages; the tools of the last one do run. */
function outOfTurns(conversation: Conversation, turn: Turn): boolean {
  const limit = conversation.args.maxTurns;
  if (turn.speaker.quiet || limit <= 0 || turn.apiMessages < limit) return false;
  endOutOfTurns(conversation, turn, limit);
  return true;
}

export function endOutOfTurns(conversation: Conversation, turn: Turn, limit: number): void {
  endTurn(conversation, turn, {
    subtype: 'error_max_turns',
    isError: true,
    terminalReason: 'max_turns',
    errors: [`Reached maximum number of turns (${limit})`],
  });
}
