import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentOptions, createPool, type Pool, type PoolJob } from 'coxswain';
import { killQuietly } from '../harness/processes.ts';
import { bounded } from './bounded.ts';
import type { Driver } from './driver.ts';
import { abortLater, follow } from './follow.ts';
import type { Entry, Ledger } from './ledger.ts';
import { type PromptPlan, promptText } from './prompt.ts';
import type { SendStep, Step, Walk } from './steps.ts';

/** Walks on a pool: prompts are jobs of a few keys. */
export class PoolDriver implements Driver {
  readonly #ledger: Ledger;
  readonly #pool: Pool;
  readonly #jobs = new Map<Entry, PoolJob>();
  readonly #running: Promise<unknown>[] = [];
  /** The living processes, by slot. */
  readonly #pids = new Map<number, number>();

  constructor(walk: Walk, options: AgentOptions, ledger: Ledger) {
    this.#ledger = ledger;
    this.#pool = createPool({
      size: 2,
      defaults: { ...options, permissionMode: walk.mode },
      onEvent: (event) => {
        if (event.type === 'session-started' && event.pid !== null) {
          this.#pids.set(event.slot, event.pid);
        }
        if (event.type === 'session-ended') this.#pids.delete(event.slot);
      },
    });
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'send':
        return this.#submit(step);
      case 'steer':
        return this.#steer(step.prompt, step.interrupts);
      case 'kill':
        return this.#kill();
      case 'pause':
        return sleep(step.ms);
      case 'settle':
        return this.#settle();
      default:
        // Pools do not have the other steps.
        return;
    }
  }

  async end(): Promise<void> {
    await this.#settle();
    // A walk that hangs has failed; nothing more is awaited.
    if (this.#ledger.problems.length > 0) return;
    for (const key of KEYS) {
      const prompt = { token: `Q0${key.charCodeAt(0)}x`, slowMs: 0, lingerMs: 0, acts: [] };
      this.#submit({ do: 'send', prompt, key });
    }
    await this.#settle();
    await bounded(this.#ledger, 'drain()', this.#pool.drain());
    await bounded(this.#ledger, 'calls', Promise.allSettled(this.#running));
  }

  async abandon(): Promise<void> {
    await this.#pool.close();
  }

  #submit({ prompt, key = 'a', mode, timeoutMs, abortAfterMs }: SendStep): void {
    const entry = this.#ledger.add({ plan: prompt, how: 'send', lane: key, mode, timeoutMs });
    const abort = new AbortController();
    const job = this.#pool.submit(
      { key, prompt: promptText(prompt), options: { permissionMode: mode, timeoutMs } },
      { signal: abort.signal },
    );
    this.#jobs.set(entry, job);
    const ended = follow(this.#ledger, entry, job);
    this.#running.push(ended);
    if (abortAfterMs !== undefined) abortLater(this.#ledger, entry, { abort, ended, ms: abortAfterMs });
  }

  #steer(prompt: PromptPlan, cancels: number): void {
    const target = this.#ledger.oldestOpen();
    const job = target && this.#jobs.get(target);
    if (!target || !job) return;
    const entry = this.#ledger.add({ plan: prompt, how: 'steer', lane: target.lane, into: target.plan.token });
    // A late call is refused, which is fine.
    this.#running.push(
      bounded(
        this.#ledger,
        'steer()',
        job.steer(promptText(prompt)).catch(() => {}),
      ),
    );
    if (cancels === 0) return;
    entry.cancelledAt = this.#ledger.now();
    target.cancelledAt = this.#ledger.now();
    this.#running.push(bounded(this.#ledger, 'cancel()', job.cancel()));
  }

  #kill(): void {
    const [first] = this.#pids.values();
    if (first === undefined) return;
    // The current key of the process is unknown.
    for (const lane of KEYS) this.#ledger.disturb('kill', lane);
    killQuietly(first);
  }

  async #settle(): Promise<void> {
    const open = [...this.#jobs].filter(([entry]) => entry.settledAt === undefined);
    const all = Promise.all(open.map(([, job]) => job.outcome));
    await bounded(this.#ledger, `the end of ${open.map(([entry]) => entry.plan.token).join(', ')}`, all);
  }
}

/** The keys; each walk ends with a job for every one. */
const KEYS = ['a', 'b', 'c'] as const;
