import type { JsonObject } from '../../json.ts';
import { retryReason } from '../../messages/api-failure.ts';
import type { RetryStep, Step } from '../script-data.ts';
import { startBackground } from './background.ts';
import { endsOverBudget } from './budget.ts';
import { compact } from './compaction.ts';
import type { Conversation } from './conversation.ts';
import { endInterrupted } from './endings.ts';
import { misbehave } from './faults.ts';
import { fireHooks } from './hooks.ts';
import { joinWaitingPrompts } from './joining.ts';
import { endAsScripted, endNaturally } from './outcomes.ts';
import { closeMessage, speakRedactedThought, speakText, speakThought, speakToolUse } from './speech.ts';
import { rejectOutput } from './structured-output.ts';
import { runSubagent } from './subagent.ts';
import { Interrupted, type Program, sleep } from './tasks.ts';
import { agentInput, backgroundInput } from './tool-inputs.ts';
import { type Flow, toolRound } from './tool-round.ts';
import { runTools } from './tool-use.ts';
import type { Turn } from './turn.ts';

/** Plays a turn's steps to its result, or until it is interrupted. */
export function* playTurn(conversation: Conversation, turn: Turn, steps: readonly Step[]): Program {
  if (endsOverBudget(conversation, turn)) return;
  try {
    let more: readonly Step[] | undefined = steps;
    while (more !== undefined) {
      yield* playSteps(conversation, turn, more);
      more = turn.resultSent || conversation.ended ? undefined : yield* endNaturally(conversation, turn);
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    endInterrupted(conversation, turn, { withResult: true });
  }
}

/** Plays steps in order until one of them ends the turn early or makes the process exit. */
export function* playSteps(conversation: Conversation, turn: Turn, steps: readonly Step[]): Program<Flow> {
  for (const step of steps) {
    const flow = yield* play(conversation, turn, step);
    if (flow === 'cut' || conversation.ended) return 'cut';
    if (turn.phase !== 'tools') continue;
    turn.phase = 'speaking';
    const joined = yield* joinWaitingPrompts(conversation, turn);
    if ((yield* playSteps(conversation, turn, joined)) === 'cut') return 'cut';
  }
  return 'on';
}

function* play(conversation: Conversation, turn: Turn, step: Step): Program<Flow> {
  const pace = (everyMs: number | null): number => everyMs ?? conversation.script.cli.paceMs;
  switch (step.step) {
    case 'say':
      yield* speakText(conversation, turn, step.text, pace(step.everyMs));
      return 'on';
    case 'think':
      yield* speakThought(conversation, turn, step, pace(step.everyMs));
      return 'on';
    case 'redacted-thinking':
      speakRedactedThought(conversation, turn, step.data);
      return 'on';
    case 'tools': {
      const uses = step.calls.map((call) => ({ call, id: speakToolUse(conversation, turn, call) }));
      return yield* toolRound(conversation, turn, () => runTools(conversation, turn, uses));
    }
    case 'if-refused':
      if (!turn.wasRefused) return 'on';
      yield* playSteps(conversation, turn, step.steps);
      return 'cut';
    case 'subagent': {
      const id = speakToolUse(conversation, turn, { name: 'Agent', input: agentInput(step) });
      return yield* toolRound(conversation, turn, () => runSubagent(conversation, turn, step, id, playSteps));
    }
    case 'background': {
      const id = speakToolUse(conversation, turn, { name: 'Bash', input: backgroundInput(step) });
      return yield* toolRound(conversation, turn, () => startBackground(conversation, turn, step, id));
    }
    case 'hook':
      yield* fireHooks(conversation, turn, step.event, { input: step.input });
      return 'on';
    case 'rejected-output':
      return yield* rejectOutput(conversation, turn, step);
    case 'compact':
      closeMessage(conversation, turn, 'end_turn');
      yield* compact(conversation, turn, { trigger: 'auto', instructions: '', summary: step.summary });
      return 'on';
    case 'wait':
      yield* sleep(step.ms);
      return 'on';
    case 'forever':
      yield { on: 'nothing' };
      return 'on';
    case 'retry':
      for (let attempt = 1; attempt <= step.attempts; attempt += 1) {
        conversation.emit(apiRetry(step, attempt));
        yield* sleep(step.waitMs);
      }
      return 'on';
    case 'rate-limit':
      conversation.emit({ type: 'rate_limit_event', rate_limit_info: step.info });
      return 'on';
    case 'result':
    case 'api-error':
    case 'max-turns':
    case 'max-budget':
    case 'structured-output':
    case 'structured-output-fails':
    case 'fail':
      return yield* endAsScripted(conversation, turn, step);
    case 'fault':
      misbehave(conversation, step.fault);
      return 'on';
  }
}

function apiRetry(step: RetryStep, attempt: number): JsonObject {
  const { status, maxRetries, delayMs } = step;
  return {
    type: 'system',
    subtype: 'api_retry',
    attempt,
    max_retries: maxRetries,
    retry_delay_ms: delayMs,
    error_status: status,
    error: retryReason(status),
  };
}
