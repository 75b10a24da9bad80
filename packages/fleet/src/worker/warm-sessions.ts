import type { Session } from 'coxswain';
import type { AgentTerms } from './agent-terms.ts';
import type { Claim } from './claim.ts';
import type { SessionLink } from './session-link.ts';
import { excess, isStaleBecause, type WarmLimits } from './warm-decision.ts';

/** A process that ran a turn and may run the next one of its conversation. */
export interface WarmSession {
  readonly session: Session;
  readonly link: SessionLink;
  /** What the process was started with. */
  readonly terms: AgentTerms;
}

/** What other processes read about a warm conversation: for how long its next turn waits for this worker, and until when. */
export interface WarmHint {
  readonly preferMs: number;
  readonly keepWarmMs: number;
}

interface Kept extends WarmSession {
  readonly key: string;
  readonly epoch: number;
  readonly token: string;
  since: number;
  /** False until the turn is committed. */
  confirmed: boolean;
}

interface WarmTerms extends WarmLimits {
  readonly preferMs: number;
  /** The memory that is available to this process and its children. */
  readonly freeBytes: () => number;
  /** A process that the database lists has ended without another turn. */
  readonly onGone: (key: string, token: string) => void;
}

type ClaimId = Pick<Claim, 'key' | 'token'>;

/**
 * The agents' processes that wait for the next turns of their conversations. The database decides whether one may be used: each turn that
 * leaves a process records the token of its claim, and every claim removes it.
 */
export class WarmSessions {
  readonly #terms: WarmTerms;
  readonly #kept = new Map<string, Kept>();
  readonly #ending = new Set<Promise<unknown>>();
  #closed = false;
  #reused = 0;

  constructor(terms: WarmTerms) {
    this.#terms = terms;
  }

  /** The number of processes. */
  get size(): number {
    return this.#kept.size;
  }

  /** The number of turns that ran on a process that was kept, or started before. */
  get reused(): number {
    return this.#reused;
  }

  /** The conversations whose next turns this worker prefers. */
  get keys(): readonly string[] {
    return [...this.#kept.keys()];
  }

  /** Those whose last turns are committed, with the tokens of their claims. */
  get confirmed(): readonly ClaimId[] {
    return [...this.#kept.values()].filter(({ confirmed }) => confirmed);
  }

  /** Keeps the process of a run whose agent has finished; returns false if it must end instead. */
  offer({ key, token, epoch }: Pick<Claim, 'key' | 'token' | 'epoch'>, warm: WarmSession): boolean {
    const { keepWarmMs, maxWarm } = this.#terms;
    if (this.#closed || keepWarmMs === 0 || maxWarm === 0) return false;
    const kept: Kept = { ...warm, key, token, epoch, since: performance.now(), confirmed: false };
    this.#kept.set(key, kept);
    const gone = (): void => this.#discard(kept);
    kept.link.onStray = gone;
    void kept.session.closed.then(gone);
    this.tick();
    return this.#kept.get(key) === kept;
  }

  /** The turn is about to be committed: its process no longer belongs to it. Returns what the database records, if there is one. */
  settle(claim: ClaimId): WarmHint | undefined {
    const kept = this.#of(claim);
    kept?.link.detach();
    const { preferMs, keepWarmMs } = this.#terms;
    return kept && { preferMs, keepWarmMs };
  }

  /** The run is over; the process stays only if its turn was committed as completed. */
  ended(claim: ClaimId, isCompleted: boolean): void {
    const kept = this.#of(claim);
    if (kept === undefined) return;
    if (!isCompleted) return this.#discard(kept);
    kept.confirmed = true;
    kept.since = performance.now();
  }

  /** The process for a turn, which is no longer kept; undefined if there is none, or if the conversation has moved on. */
  async take(claim: Claim): Promise<WarmSession | undefined> {
    const kept = this.#kept.get(claim.key);
    if (kept === undefined) return undefined;
    this.#kept.delete(claim.key);
    const { link, session, epoch, token } = kept;
    link.onStray = () => {};
    const state = {
      epoch,
      token,
      sessionId: session.id,
      alive: session.state === 'running',
      isIdle: !link.stray && (await isIdle(session)),
    };
    const { before, sessionId, parked } = claim;
    if (isStaleBecause({ ...before, sessionId, isParked: parked !== undefined }, state) === undefined) return kept;
    await this.end(kept);
    return undefined;
  }

  /** A turn runs on a process that was kept, or started before. */
  noteReuse(): void {
    this.#reused += 1;
  }

  /** Ends a process that was taken. Resolves when it has exited. */
  async end({ link, session }: WarmSession): Promise<void> {
    link.end();
    const closed = session.close();
    this.#ending.add(closed);
    await closed.catch(() => {}).finally(() => this.#ending.delete(closed));
  }

  /** The conversation moved on elsewhere. */
  discard(claim: ClaimId): void {
    const kept = this.#of(claim);
    if (kept) this.#discard(kept);
  }

  /** Ends the processes that have waited too long, and those that need too much memory. */
  tick(): void {
    const { freeBytes } = this.#terms;
    if (this.#kept.size === 0) return;
    const now = performance.now();
    for (const kept of excess([...this.#kept.values()], this.#terms, { now, freeBytes: freeBytes() }))
      this.#discard(kept);
  }

  /** Keeps no process any more. Resolves when all have exited. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const kept of [...this.#kept.values()]) this.#discard(kept);
    await Promise.allSettled(this.#ending);
  }

  #of({ key, token }: ClaimId): Kept | undefined {
    const kept = this.#kept.get(key);
    return kept?.token === token ? kept : undefined;
  }

  #discard(kept: Kept): void {
    const { key, token, confirmed } = kept;
    if (this.#kept.get(key) !== kept) return;
    this.#kept.delete(key);
    void this.end(kept);
    if (confirmed) this.#terms.onGone(key, token);
  }
}

/** True if the session has nothing to do now. */
export async function isIdle(session: Session): Promise<boolean> {
  const busy = new Promise<false>((resolve) => setImmediate(() => resolve(false)));
  const idle = session.idle().then(
    () => true,
    () => false, // It has ended.
  );
  return Promise.race([idle, busy]);
}
