import { AsyncLocalStorage } from 'node:async_hooks';
import { type AgentTerms, sameTerms } from './agent-terms.ts';
import { MIN_FREE_BYTES } from './warm-decision.ts';
import { isIdle, type WarmSession } from './warm-sessions.ts';

/** Time after which a spare process is replaced: settings and other files that it has read may have changed. */
const REPLACED_AFTER_MS = 10 * 60_000;

interface Spare extends WarmSession {
  readonly startedAt: number;
}

/** How to start a process for a conversation that begins later, and with what. */
interface SparePlan {
  readonly terms: AgentTerms;
  readonly open: () => WarmSession;
}

interface SpareLimits {
  readonly prewarm: number;
  /** The memory that is available to this process and its children. */
  readonly freeBytes: () => number;
}

/**
 * Processes that wait for conversations that begin. They are started with the options of the last one that began; one with other options
 * starts a process of its own.
 */
export class SpareSessions {
  readonly #limits: SpareLimits;
  readonly #spares = new Set<Spare>();
  readonly #ending = new Set<Promise<unknown>>();
  /** They outlive the turn during which they are started, so they do not belong to its trace. */
  readonly #outsideOfTurns = AsyncLocalStorage.snapshot();
  #plan: SparePlan | undefined;
  /** The options of the last conversation that could use no spare process. */
  #missed: AgentTerms | undefined;
  #starting: Spare | undefined;
  #closed = false;

  constructor(limits: SpareLimits) {
    this.#limits = limits;
  }

  /** The number of processes that have started. */
  get size(): number {
    return [...this.#spares].filter((spare) => spare !== this.#starting).length;
  }

  /** A process that was started with these options and works, which is no spare any more; undefined if there is none. */
  async take(terms: AgentTerms): Promise<WarmSession | undefined> {
    for (const spare of this.#spares) {
      if (spare === this.#starting || !sameTerms(spare.terms, terms)) continue;
      this.#spares.delete(spare);
      spare.link.onStray = () => {};
      const works = spare.session.state === 'running' && !spare.link.stray && (await isIdle(spare.session));
      if (works) return spare;
      await this.#end(spare);
    }
    return undefined;
  }

  /** A conversation has begun with these options. `ready` settles when its own process has started. */
  begun(plan: SparePlan, usedSpare: boolean, ready: Promise<unknown>): void {
    if (this.#limits.prewarm === 0 || this.#closed) return;
    const fits = this.#plan !== undefined && sameTerms(this.#plan.terms, plan.terms);
    const isSecond = this.#missed !== undefined && sameTerms(this.#missed, plan.terms);
    this.#missed = usedSpare || fits ? undefined : plan.terms;
    // Conversations of two kinds that alternate must not replace each other's processes each time.
    if (this.#plan !== undefined && !fits && !isSecond) return;
    if (!fits) for (const spare of this.#spares) void this.#end(spare);
    this.#plan = plan;
    const fill = (): void => this.#fill();
    // At the same time, the two would slow each other down.
    void ready.then(fill, fill);
  }

  /** Replaces old processes, and ends one if memory is scarce. */
  tick(): void {
    const now = performance.now();
    const [first] = this.#spares;
    if (first && this.#limits.freeBytes() < MIN_FREE_BYTES) return void this.#end(first);
    const old = [...this.#spares].find(({ startedAt }) => now - startedAt > REPLACED_AFTER_MS);
    if (old) void this.#end(old).then(() => this.#fill());
  }

  /** Starts no process any more. Resolves when all have exited. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const spare of this.#spares) void this.#end(spare);
    await Promise.allSettled(this.#ending);
  }

  /** Starts the missing processes, one after the other. */
  #fill(): void {
    const { prewarm, freeBytes } = this.#limits;
    if (this.#closed || this.#starting || this.#plan === undefined || this.#spares.size >= prewarm) return;
    if (freeBytes() < MIN_FREE_BYTES) return;
    const spare: Spare = { ...this.#outsideOfTurns(this.#plan.open), startedAt: performance.now() };
    this.#spares.add(spare);
    this.#starting = spare;
    const { session, link } = spare;
    link.onStray = () => void this.#end(spare);
    void session.closed.then(() => this.#spares.delete(spare));
    const started = (isReady: boolean): void => {
      this.#starting = undefined;
      // After a failure, the next conversation that begins tries again.
      if (isReady) this.#fill();
      else void this.#end(spare);
    };
    session.ready.then(
      () => started(true),
      () => started(false),
    );
  }

  async #end(spare: Spare): Promise<void> {
    this.#spares.delete(spare);
    spare.link.end();
    const closed = spare.session.close();
    this.#ending.add(closed);
    await closed.catch(() => {}).finally(() => this.#ending.delete(closed));
  }
}
