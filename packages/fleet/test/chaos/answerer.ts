import { setTimeout as delay } from 'node:timers/promises';
import { type Approval, type Fleet, isFleetError } from '@coxswain/fleet';
import { allow, deny } from 'coxswain';

/** How often it looks for approvals, and how late it answers at most. */
const LOOK_MS = 100;
const LATEST_MS = 1_500;

type Decision = 'allow' | 'deny';

/** People who answer approvals at random times, over connections of their own. */
export class Answerer {
  /** The answers that were accepted, by approval. */
  readonly accepted = new Map<string, Decision>();
  readonly problems: string[] = [];
  readonly #fleet: Fleet;
  readonly #random: () => number;
  readonly #known = new Set<string>();
  readonly #signal: AbortSignal;

  constructor(fleet: Fleet, random: () => number, signal: AbortSignal) {
    this.#fleet = fleet;
    this.#random = random;
    this.#signal = signal;
  }

  /** Answers until the signal aborts; never rejects. */
  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      const found = await this.#fleet.approvals({ limit: 1_000 }).catch(() => []);
      for (const approval of found) if (!this.#known.has(approval.id)) this.#plan(approval);
      await delay(LOOK_MS, undefined, { signal: this.#signal }).catch(() => {});
    }
  }

  #plan(approval: Approval): void {
    this.#known.add(approval.id);
    const [dice, when, what] = [this.#random(), this.#random(), this.#random()];
    // Nobody answers half of those that expire.
    if (approval.expiresAt !== null && dice < 0.5) return;
    const ms = when < 0.4 ? 0 : when * LATEST_MS;
    const decision = what < 0.7 ? 'allow' : 'deny';
    void this.#answer(approval, decision, ms);
    // Somebody else disagrees at the same time.
    if (dice > 0.9) void this.#answer(approval, decision === 'allow' ? 'deny' : 'allow', ms);
  }

  async #answer({ id, hash }: Approval, decision: Decision, ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#signal }).catch(() => {});
    while (!this.#signal.aborted) {
      try {
        await this.#fleet.answer(id, decision === 'allow' ? allow() : deny('no'), { by: decision, hash });
        if (this.accepted.has(id)) this.problems.push(`two answers to ${id} were accepted`);
        this.accepted.set(id, decision);
        return;
      } catch (error) {
        if (isFleetError(error, 'approval-closed')) return;
        if (!isFleetError(error, 'database-unavailable')) this.problems.push(`an answer was refused: ${error}`);
        await delay(LOOK_MS, undefined, { signal: this.#signal }).catch(() => {});
      }
    }
  }
}
