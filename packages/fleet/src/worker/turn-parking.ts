import { setTimeout as delay } from 'node:timers/promises';
import { LONGEST_TIMER_MS } from '@coxswain/shared/longest-timer';
import { isCoxswainError, type ParkedRequest, type Session } from 'coxswain';
import { TurnDataError } from '../errors.ts';
import type { Approvals } from './approvals.ts';
import { type EndReasons, lossOf } from './ending.ts';
import type { ParkedClaim } from './parked-claim.ts';

/** How long a request may wait before its turn is parked, unless the agent decides otherwise. */
const PARK_AFTER_MS = 30_000;

/** Time until the next attempt, for the obstacles that may pass. After an outage the store soon has the call. */
const AGAIN_MS: ReadonlyMap<string, number> = new Map([
  ['background-work', 10_000],
  ['not-stored', 500],
]);

/** Time until the next attempt to park a request that could not be parked. */
const PARK_AGAIN_MS = 10_000;

/** How long an approval waits for what another worker needs; the CLI writes that to the store a moment after it has asked. */
const PREPARE_STEPS = 20;
const PREPARE_STEP_MS = 100;

/** Whether an error is about an option, or a field of one. */
function isAbout(error: unknown, option: string): boolean {
  return isCoxswainError(error, 'options') && error.problems.some(({ path }) => path.startsWith(option));
}

interface ParkingTerms {
  readonly parkAfterMs: number | undefined;
  readonly session: () => Session | undefined;
  readonly onError: (error: unknown) => void;
}

/** Parks the turn of a run when its only open approval has waited long enough, or when the worker stops. */
export class TurnParking {
  readonly #approvals: Approvals;
  readonly #terms: ParkingTerms;
  readonly #timers = new Set<NodeJS.Timeout>();
  #parkTimer: NodeJS.Timeout | undefined;
  #atOnce = false;
  /** Whether the turn was parked; undefined if that was not tried, or failed. */
  #parked: Promise<boolean> | undefined;
  /** The approval of the request that was parked. */
  #with: string | undefined;

  constructor(approvals: Approvals, terms: ParkingTerms) {
    this.#approvals = approvals;
    this.#terms = terms;
    approvals.parkedRequest = (requestId) => this.#prepare(requestId);
    approvals.onChanged = () => this.#schedule();
  }

  /** Parks the turn now, or as soon as it can be parked. Resolves to whether it was parked now. */
  async now(): Promise<boolean> {
    this.#atOnce = true;
    return this.#park();
  }

  /** Ends the session; a request that another worker can answer stays open. */
  async endSession(session: Session): Promise<void> {
    if (!(await this.#park())) await session.close();
  }

  /** The approval with which the turn continues elsewhere, after the agent ended with this error; undefined if it does not. */
  async approvalAfter(
    error: unknown,
    resumed: ParkedClaim | undefined,
    { draining, overQuota, lost }: EndReasons,
  ): Promise<string | undefined> {
    // The request still waits if storing it has failed.
    await (lost === 'database' ? this.#park() : this.#parked);
    if (this.#with !== undefined) return this.#with;
    if (isCoxswainError(error, 'turn-parked')) {
      // A later request of a resumed turn, or one whose answer was being delivered: that answer has not reached the agent.
      const { toolUseId } = error;
      const isResumed = resumed?.parked.request.toolUseId === toolUseId;
      return isResumed ? resumed.approval : this.#approvals.ofCall(toolUseId);
    }
    // Only the CLI died.
    const { parkable } = this.#approvals;
    if (isCoxswainError(error, 'process') && parkable) return parkable.approval;
    if (resumed === undefined || this.#approvals.resumed) return undefined;
    // The agent did not get the answer, and the next one may.
    if (draining === true || overQuota === true || lost !== undefined) return resumed.approval;
    if (!isAbout(error, 'parked.answer')) return undefined;
    this.#approvals.reopen(resumed, 'options');
    return resumed.approval;
  }

  /** Whether another attempt may give the agent its answer, after it could not be resumed with it: nothing was allowed. */
  mayResumeLater(failure: unknown, resumed: ParkedClaim | undefined): boolean {
    if (resumed === undefined || this.#approvals.resumed) return false;
    const isFinal =
      (isCoxswainError(failure, 'parked-request') && failure.problem !== 'unguarded') ||
      isCoxswainError(failure, 'timeout') ||
      failure instanceof TurnDataError ||
      isAbout(failure, 'parked');
    return !isFinal;
  }

  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    clearTimeout(this.#parkTimer);
  }

  /** What another worker needs. If that is not known soon, it is stored later. */
  async #prepare(requestId: string): Promise<ParkedRequest | undefined> {
    const found = this.#parkedRequest(requestId);
    let isKnown = false;
    const known = found.then(() => {
      isKnown = true;
    });
    // In steps: a process that was suspended for longer than all of them gets its time all the same.
    for (let step = 0; step < PREPARE_STEPS && !isKnown; step += 1) await Promise.race([known, delay(PREPARE_STEP_MS)]);
    const parked = isKnown ? await found : undefined;
    if (parked === undefined) void found.then((late) => this.#note(requestId, late));
    return parked;
  }

  async #note(requestId: string, parked: ParkedRequest | undefined): Promise<void> {
    try {
      if (parked) await this.#approvals.noteParkable(requestId, parked);
    } catch (error) {
      if (lossOf(error) === undefined) this.#terms.onError(error);
    }
  }

  /** Undefined if the turn cannot be resumed with this request; tries again if the reason may pass: a background task, an outage. */
  async #parkedRequest(requestId: string): Promise<ParkedRequest | undefined> {
    try {
      return await this.#terms.session()?.parkable(requestId);
    } catch (error) {
      if (isCoxswainError(error, 'cannot-park')) {
        const again = (): void => void this.#parkedRequest(requestId).then((parked) => this.#note(requestId, parked));
        const againMs = AGAIN_MS.get(error.obstacle);
        if (againMs !== undefined) this.#later(again, againMs);
      } else if (isCoxswainError(error, 'no-such-permission') || isCoxswainError(error, 'session-stopped')) {
        this.#approvals.gone(requestId);
      } else if (lossOf(error) === undefined) {
        this.#terms.onError(error);
      }
      return undefined;
    }
  }

  #later(work: () => void, ms: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, ms);
    this.#timers.add(timer);
  }

  #schedule(): void {
    clearTimeout(this.#parkTimer);
    if (this.#approvals.parkable === undefined) return;
    const ms = this.#atOnce ? 0 : (this.#terms.parkAfterMs ?? PARK_AFTER_MS);
    if (ms <= LONGEST_TIMER_MS) this.#parkTimer = setTimeout(() => void this.#park(), ms);
  }

  #park(): Promise<boolean> {
    this.#parked ??= this.#parkNow().then((parked) => {
      if (!parked) this.#parked = undefined;
      return parked;
    });
    return this.#parked;
  }

  async #parkNow(): Promise<boolean> {
    const waiting = this.#approvals.parkable;
    const session = this.#terms.session();
    if (waiting === undefined || session === undefined) return false;
    try {
      await session.park(waiting.requestId);
      this.#with = waiting.approval;
      return true;
    } catch (error) {
      const expected = isCoxswainError(error, 'cannot-park') || isCoxswainError(error, 'no-such-permission');
      if (!expected) this.#terms.onError(error);
      else if (isCoxswainError(error, 'cannot-park')) this.#later(() => this.#schedule(), PARK_AGAIN_MS);
      return false;
    }
  }
}
