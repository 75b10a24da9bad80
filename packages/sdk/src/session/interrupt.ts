import { compareVersions } from '../cli/version.ts';
import type { InterruptReceipt } from '../control/operations.ts';
import { ControlTimeoutError } from '../errors/control.ts';
import { TurnStuckError } from '../errors/turn.ts';
import type { LiveSession } from './live.ts';

/**
 * Ends what the CLI does; meanwhile no prompt is sent.
 * @throws ControlTimeoutError when the CLI does not answer: if a turn runs, the session has then failed with it
 */
export async function interruptSession(session: LiveSession): Promise<InterruptReceipt> {
  const { turns, operations } = session;
  const { interruptTimeoutMs } = session.limits;
  if (exitsAtPromptHook(session) && (session.answering.callbacks.refusePrompts() || turns.starting)) {
    // The refusal ends the turn; one that starts all the same is interrupted then.
    turns.interrupted(undefined);
    return { stillQueued: [] };
  }
  const release = turns.hold();
  try {
    // The CLI would go on with what was added; it reads its input in order, so this need not be waited for.
    for (const id of turns.additions) void withdraw(session, id);
    const receipt = await operations.interrupt(interruptTimeoutMs);
    turns.interrupted(receipt?.stillQueued);
    return receipt ?? { stillQueued: [] };
  } catch (error) {
    if (error instanceof ControlTimeoutError && turns.running) {
      session.fail(new TurnStuckError(interruptTimeoutMs, error));
    }
    throw error;
  } finally {
    release();
  }
}

/** Releases before 2.1.325 exit when they are interrupted while a `UserPromptSubmit` hook is pending. */
function exitsAtPromptHook({ plan, release }: LiveSession): boolean {
  if (!plan.hooks.some(({ event }) => event === 'UserPromptSubmit')) return false;
  return release === undefined || compareVersions(release, '2.1.325') < 0;
}

async function withdraw({ turns, operations, limits }: LiveSession, addition: string): Promise<void> {
  const cancelled = await operations.cancelMessage(addition, limits.interruptTimeoutMs).catch(() => false);
  if (cancelled) turns.withdrawn(addition);
}
