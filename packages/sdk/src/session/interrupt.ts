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
  const release = turns.gate.hold();
  try {
    if (exitsAtPromptHook(session)) {
      // Without any, the interrupt is written at once: a hook that stops its turn is answered after it.
      if (turns.additions.length > 0) await withdrawAdditions(session);
      if (session.answering.callbacks.pending.some(({ event }) => event === 'UserPromptSubmit') || turns.starting) {
        return refusePrompt(session);
      }
    } else {
      // The CLI would go on with what was added; it reads its input in order, so this need not be waited for.
      void withdrawAdditions(session);
    }
    const receipt = await operations.interrupt(interruptTimeoutMs);
    // Older releases may miss a prompt that they are just taking up, and not tell.
    turns.interrupted(isOlder(session) ? undefined : receipt?.stillQueued);
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
function exitsAtPromptHook(session: LiveSession): boolean {
  return session.plan.hooks.some(({ event }) => event === 'UserPromptSubmit') && isOlder(session);
}

function isOlder({ release }: LiveSession): boolean {
  return release === undefined || compareVersions(release, '2.1.325') < 0;
}

/** The refusal ends the turn. A prompt that no hook has been asked about yet is refused, or interrupted when it starts. */
function refusePrompt({ turns, answering }: LiveSession): InterruptReceipt {
  turns.interrupted(undefined);
  if (answering.callbacks.refusePrompts()) turns.refusesPrompt();
  return { stillQueued: [] };
}

async function withdrawAdditions(session: LiveSession): Promise<void> {
  await Promise.all(session.turns.additions.map((id) => withdraw(session, id)));
}

async function withdraw({ turns, operations, limits }: LiveSession, addition: string): Promise<void> {
  const cancelled = await operations.cancelMessage(addition, limits.interruptTimeoutMs).catch(() => false);
  if (cancelled) turns.withdrawn(addition);
}
