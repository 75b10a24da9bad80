import { compareVersions } from '@coxswain/shared/version';
import { fieldsOf, type InterruptReceipt, interruptReceipt } from '../control/operations.ts';
import type { RequestOptions } from '../control/pending.ts';
import { ControlTimeoutError, TurnStuckError } from '../errors/session.ts';
import { abortError } from '../timing/caller.ts';
import type { LiveSession } from './live.ts';
import { openAdditions } from './turn-tracker.ts';

/**
 * Stops what the CLI is doing; meanwhile no prompt is sent.
 * @throws ControlTimeoutError when the CLI does not answer: a session in a turn then fails, unless the caller set the timeout
 */
export async function interruptSession(session: LiveSession, options: RequestOptions = {}): Promise<InterruptReceipt> {
  const { turns, requests, limits } = session;
  const { timeoutMs = limits.interruptTimeoutMs, signal } = options;
  if (signal?.aborted) throw abortError(signal, session.redact);
  const release = turns.gate.hold();
  try {
    // Releases before 2.1.325 exit when they are interrupted while a `UserPromptSubmit` hook is pending.
    if (isOlder(session) && session.plan.hooks.some(({ event }) => event === 'UserPromptSubmit')) {
      // Without additions the interrupt is written at once: a hook that stops its turn is answered after it.
      if (openAdditions(turns.router.tracker).length > 0) await withdrawAdditions(session);
      if (session.inbound.hooks.pending.some(({ event }) => event === 'UserPromptSubmit') || turns.starting) {
        // The refusal ends the turn. A prompt that no hook has been asked about yet is refused, or interrupted when it starts.
        turns.interrupted(undefined);
        if (session.inbound.hooks.refusePrompts()) turns.refusesPrompt();
        return { stillQueued: [] };
      }
    } else {
      // The CLI would continue with what was added. It reads its input in order, so there is no need to wait.
      void withdrawAdditions(session);
    }
    const receipt = interruptReceipt(await requests.request('interrupt', {}, { timeoutMs, signal }));
    // Older releases may miss a prompt that they are just taking up, and do not report it.
    turns.interrupted(isOlder(session) ? undefined : receipt?.stillQueued);
    return receipt ?? { stillQueued: [] };
  } catch (error) {
    if (error instanceof ControlTimeoutError && turns.running && options.timeoutMs === undefined) {
      session.fail(new TurnStuckError(timeoutMs, error));
    }
    throw error;
  } finally {
    release();
  }
}

function isOlder({ cli: { release } }: LiveSession): boolean {
  return release === undefined || compareVersions(release, '2.1.325') < 0;
}

/** Takes back what was added to the turn and the CLI has not read yet. */
async function withdrawAdditions({ turns, requests, limits }: LiveSession): Promise<void> {
  const options = { timeoutMs: limits.interruptTimeoutMs };
  const withdraw = async (id: string): Promise<void> => {
    const answer = await requests.request('cancel_async_message', { message_uuid: id }, options).catch(() => undefined);
    if (fieldsOf(answer).cancelled === true) turns.router.withdrawn(id);
  };
  await Promise.all(openAdditions(turns.router.tracker).map(withdraw));
}
