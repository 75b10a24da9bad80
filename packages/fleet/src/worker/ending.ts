import { DatabaseUnavailableError, LeaseLostError } from '../errors.ts';
import { Deadline } from './deadline.ts';

/**
 * Why a worker lost a turn: another worker has the conversation, the database did not renew the lease in time, or this process was
 * suspended for too long.
 */
export type Loss = 'taken' | 'database' | 'worker';

/** Why a run ends before its agent has finished. Several reasons may apply; the first of each kind counts. */
export interface EndReasons {
  readonly cancelledBy?: string;
  readonly draining?: true;
  /** The tenant has too little of its daily quota left. */
  readonly overQuota?: true;
  readonly lost?: Loss;
  /** An error of an agent's function outside of any call that waits for it. */
  readonly fault?: { readonly error: unknown };
}

/** The end of a run: its reasons, and the signal that ends the agent. Everything that waits for the agent listens to the signal. */
export class Ending {
  readonly #agent = new AbortController();
  readonly #deadline = new Deadline(() => this.#agent.abort());
  #reasons: EndReasons = {};

  /** Aborts when the agent must end, with an error as its reason. */
  get signal(): AbortSignal {
    return this.#agent.signal;
  }

  get reasons(): EndReasons {
    return this.#reasons;
  }

  /** Records a reason. The agent may still finish. */
  record<K extends keyof EndReasons>(kind: K, value: NonNullable<EndReasons[K]>): void {
    if (this.#reasons[kind] === undefined) this.#reasons = { ...this.#reasons, [kind]: value };
  }

  /** Records a reason and ends the agent. */
  now<K extends keyof EndReasons>(kind: K, value: NonNullable<EndReasons[K]>, error: unknown): void {
    this.record(kind, value);
    this.#agent.abort(error);
  }

  /** Ends the agent after `ms`, unless it exits first; returns false if an earlier end is already set. */
  within(ms: number): boolean {
    return this.#deadline.within(ms);
  }

  /** The agent has exited, or is being closed: the deadline no longer applies. */
  clear(): void {
    this.#deadline.clear();
  }
}

/** The loss that an error reports, if it reports one. The session store wraps such errors; causes may be circular. */
export function lossOf(error: unknown, depth = 10): Loss | undefined {
  if (error instanceof LeaseLostError) return 'taken';
  if (error instanceof DatabaseUnavailableError) return 'database';
  return depth > 0 && error instanceof Error && error.cause !== undefined ? lossOf(error.cause, depth - 1) : undefined;
}
