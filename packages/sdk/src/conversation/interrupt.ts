import { compareVersions } from '@coxswain/shared/version';
import type { CliRequestHandler } from '../callbacks/cli-request-handler.ts';
import { fieldsOf, type InterruptReceipt, interruptReceipt } from '../control/answers.ts';
import type { RequestOptions } from '../control/pending.ts';
import { ControlTimeoutError, TurnStuckError } from '../errors/session.ts';
import type { Limits } from '../limits.ts';
import type { Redactor } from '../redact.ts';
import { abortError } from '../timing/caller.ts';
import type { RequestQueue } from './request-queue.ts';
import type { TurnRunner } from './turn-runner.ts';
import { openAdditions } from './turn-tracker.ts';

/** The parts of the process that an interrupt uses. */
export interface InterruptHost {
  readonly limits: Pick<Limits, 'interruptTimeoutMs'>;
  readonly redact: Redactor;
  readonly release: string | undefined;
  readonly turns: TurnRunner;
  readonly operations: Pick<RequestQueue, 'request'>;
  readonly inbound: Pick<CliRequestHandler, 'hooks' | 'pending'>;
  /** The events of the hooks in the options. */
  readonly hookEvents: ReadonlySet<string>;
  fail(failure: Error): void;
}

/**
 * Stops what the CLI is doing; meanwhile no prompt is sent.
 * @throws ControlTimeoutError when the CLI does not answer: a session in a turn then fails, unless the caller set the timeout
 */
export async function interrupt(host: InterruptHost, options: RequestOptions = {}): Promise<InterruptReceipt> {
  const { turns, operations, limits, inbound, hookEvents } = host;
  const { timeoutMs = limits.interruptTimeoutMs, signal } = options;
  if (signal?.aborted) throw abortError(signal, host.redact);
  const release = turns.gate.hold();
  try {
    // Releases before 2.1.325 exit when they are interrupted while a `UserPromptSubmit` hook is pending.
    if (isOlder(host.release) && hookEvents.has('UserPromptSubmit')) {
      // Without additions the interrupt is written at once: a hook that stops its turn is answered after it.
      if (openAdditions(turns.router.tracker).length > 0) await withdrawAdditions(host);
      if (asksAboutPrompt(inbound) || turns.starting) {
        // The refusal ends the turn. A prompt that no hook has been asked about yet is refused, or interrupted when it starts.
        turns.interrupted(undefined, false);
        if (inbound.hooks.refusePrompts()) turns.refusesPrompt();
        return { stillQueued: [] };
      }
    } else {
      // The CLI would continue with the additions. It reads its input in order, so this does not wait.
      void withdrawAdditions(host);
    }
    const takenUp = turns.current?.parked ? inbound.pending.length > 0 : asksAboutPrompt(inbound);
    // The start of a turn that the interrupt has missed may arrive right after the answer.
    const onAnswer = (answer: unknown): void =>
      // Older releases may miss a prompt that they are just starting, and do not report it.
      turns.interrupted(isOlder(host.release) ? undefined : interruptReceipt(answer)?.stillQueued, takenUp);
    const answer = await operations.request('interrupt', {}, { timeoutMs, signal, onAnswer });
    return interruptReceipt(answer) ?? { stillQueued: [] };
  } catch (error) {
    if (error instanceof ControlTimeoutError && turns.isSent && options.timeoutMs === undefined) {
      host.fail(new TurnStuckError(timeoutMs, error));
    }
    throw error;
  } finally {
    release();
  }
}

function asksAboutPrompt({ hooks }: InterruptHost['inbound']): boolean {
  return hooks.pending.some(({ event }) => event === 'UserPromptSubmit');
}

function isOlder(release: string | undefined): boolean {
  return release === undefined || compareVersions(release, '2.1.325') < 0;
}

/** Withdraws the additions to the turn that the CLI has not read yet. */
async function withdrawAdditions({ turns, operations, limits }: InterruptHost): Promise<void> {
  const options = { timeoutMs: limits.interruptTimeoutMs };
  const withdraw = async (id: string): Promise<void> => {
    const answer = await operations
      .request('cancel_async_message', { message_uuid: id }, options)
      .catch(() => undefined);
    if (fieldsOf(answer).cancelled === true) turns.router.withdrawn(id);
  };
  await Promise.all(openAdditions(turns.router.tracker).map(withdraw));
}
