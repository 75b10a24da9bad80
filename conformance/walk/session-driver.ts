import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentOptions, openSession, type Session, type Turn, textOf } from 'coxswain';
import { killQuietly } from '../harness/processes.ts';
import { bounded } from './bounded.ts';
import type { Driver } from './driver.ts';
import { abortLater, follow } from './follow.ts';
import type { Entry, Ledger } from './ledger.ts';
import { type PromptPlan, promptText } from './prompt.ts';
import type { SendStep, Step, Walk } from './steps.ts';
import { messageInShort } from './trace.ts';

type AnySession = Session | Session;

/** Walks on a session; one that does not restart is replaced by a new one when its CLI was killed. */
export class SessionDriver implements Driver {
  readonly #walk: Walk;
  readonly #options: AgentOptions;
  readonly #ledger: Ledger;
  readonly #turns = new Map<Entry, Turn>();
  readonly #running: Promise<unknown>[] = [];
  #sessions = 0;
  #lane = '';
  #session: AnySession;

  constructor(walk: Walk, options: AgentOptions, ledger: Ledger) {
    this.#walk = walk;
    this.#options = { ...options, permissionMode: walk.mode };
    this.#ledger = ledger;
    this.#session = this.#open();
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'send':
        return this.#send(step);
      case 'steer':
        return this.#steer(step.prompt, step.interrupts);
      case 'interrupt':
        for (let left = step.times; left > 0; left--) this.#interrupt(step.what);
        return;
      case 'mode':
        return this.#setMode(step.mode);
      case 'model':
        return this.#try('setModel', this.#session.setModel(step.model));
      case 'push':
        return this.#push(step.prompt, step.uuid);
      case 'clear':
        return this.#clear();
      case 'fork':
        return this.#fork(step.prompt);
      case 'kill':
        return this.#kill();
      case 'pause':
        return sleep(step.ms);
      case 'settle':
        return this.#settle();
      case 'task-end':
      case 'heard':
        // The runner waits for these.
        return;
    }
  }

  async end(): Promise<void> {
    await this.#settle();
    await this.#try('idle()', this.#session.idle());
    // A walk that hangs has failed; nothing more is awaited.
    if (this.#ledger.problems.length > 0) return;
    // If the session has confused its turns, the answer to one more prompt shows it.
    this.#send({ do: 'send', prompt: { token: LAST, slowMs: 0, lingerMs: 0, acts: [] } });
    await this.#settle();
    await this.#try('idle()', this.#session.idle());
    if (this.#ledger.problems.length > 0) return;
    await this.#try('close()', this.#session.close());
    await bounded(this.#ledger, 'calls and observers', Promise.allSettled(this.#running));
  }

  async abandon(): Promise<void> {
    await this.#session.close();
  }

  #open(): AnySession {
    this.#lane = `session ${++this.#sessions}`;
    const restarts = this.#walk.kind === 'restarting';
    const policy = { maxRestarts: 100, delayMs: 20, maxDelayMs: 40, firstStart: 'retry' } as const;
    const session = restarts ? openSession({ ...this.#options, restart: policy }) : openSession(this.#options);
    this.#running.push(
      this.#observe(session),
      session.ready.catch(() => {}),
    );
    return session;
  }

  async #observe(session: AnySession): Promise<void> {
    for await (const item of session.messages()) {
      if (item.kind !== 'message') continue;
      this.#ledger.note(messageInShort(item.message, item.turn));
      if (item.message.type !== 'result') continue;
      this.#ledger.observed.push({ at: this.#ledger.now(), turn: item.turn, text: textOf(item.message) });
    }
  }

  #send({ prompt, mode, timeoutMs, abortAfterMs }: SendStep): void {
    const entry = this.#ledger.add({ plan: prompt, how: 'send', lane: this.#lane, mode, timeoutMs });
    const abort = new AbortController();
    const turn = this.#session.send(promptText(prompt), {
      permissionMode: mode,
      timeoutMs,
      signal: abortAfterMs === undefined ? undefined : abort.signal,
    });
    entry.turn = turn.id;
    this.#ledger.note(`  > ${prompt.token} is ${turn.id.slice(0, 4)}`);
    this.#turns.set(entry, turn);
    const ended = follow(this.#ledger, entry, turn);
    this.#running.push(ended);
    if (abortAfterMs !== undefined) abortLater(this.#ledger, entry, { abort, ended, ms: abortAfterMs });
  }

  #steer(prompt: PromptPlan, interrupts: number): void {
    const target = this.#ledger.oldestOpen(this.#lane);
    const turn = target && this.#turns.get(target);
    if (!target || !turn) return;
    const entry = this.#ledger.add({ plan: prompt, how: 'steer', lane: this.#lane, into: target.plan.token });
    if (interrupts > 0) entry.cancelledAt = this.#ledger.now();
    this.#background('steer()', turn.steer(promptText(prompt)));
    for (let left = interrupts; left > 0; left--) this.#interrupt('turn');
  }

  #interrupt(what: 'session' | 'turn'): void {
    const target = this.#ledger.oldestOpen(this.#lane);
    const turn = target && this.#turns.get(target);
    const disturbance = this.#ledger.disturb('interrupt', this.#lane);
    if (what === 'turn' && target) target.cancelledAt ??= this.#ledger.now();
    const asked = what === 'turn' && turn ? turn.interrupt() : this.#session.interrupt();
    const noted = asked.finally(() => {
      disturbance.to = this.#ledger.now();
    });
    this.#background('interrupt()', noted);
  }

  async #setMode(mode: Walk['mode']): Promise<void> {
    const disturbance = this.#ledger.disturb('mode', this.#lane);
    const changed = this.#session.setPermissionMode(mode).then(() => {
      disturbance.mode = mode;
    });
    await this.#try('setPermissionMode()', changed);
    disturbance.to = this.#ledger.now();
  }

  #push(prompt: PromptPlan, uuid: boolean): void {
    this.#ledger.add({ plan: prompt, how: 'push', lane: this.#lane });
    const frame = { type: 'user', message: { role: 'user', content: promptText(prompt) } } as const;
    this.#background('push()', this.#session.push(uuid ? { ...frame, uuid: crypto.randomUUID() } : frame));
  }

  async #clear(): Promise<void> {
    const disturbance = this.#ledger.disturb('clear', this.#lane);
    await this.#try('clear()', this.#session.clear());
    disturbance.to = this.#ledger.now();
  }

  async #fork(plan: PromptPlan): Promise<void> {
    const forked: Promise<AnySession> = this.#session.fork();
    const fork = await this.#try('fork()', forked);
    if (!fork) return;
    const entry = this.#ledger.add({ plan, how: 'fork', lane: `fork ${plan.token}` });
    await bounded(this.#ledger, 'the turn of a fork', follow(this.#ledger, entry, fork.send(promptText(plan))));
    await this.#try('close()', fork.close());
  }

  async #kill(): Promise<void> {
    const { pid } = this.#session;
    if (pid === undefined) return;
    const disturbance = this.#ledger.disturb('kill', this.#lane);
    killQuietly(pid);
    if (this.#walk.kind === 'restarting') return;
    await this.#try('closed', this.#session.closed);
    disturbance.to = this.#ledger.now();
    this.#session = this.#open();
  }

  async #settle(): Promise<void> {
    const open = [...this.#turns].filter(([entry]) => entry.settledAt === undefined);
    const all = Promise.allSettled(open.map(([, turn]) => turn.result()));
    await bounded(this.#ledger, `the end of ${open.map(([entry]) => entry.plan.token).join(', ')}`, all);
  }

  /** Waits for a call, and records a failure or a timeout. */
  async #try<T>(what: string, call: Promise<T>): Promise<T | undefined> {
    return bounded(this.#ledger, what, this.#caught(what, call));
  }

  #background(what: string, call: Promise<unknown>): void {
    this.#running.push(bounded(this.#ledger, what, this.#caught(what, call)));
  }

  async #caught<T>(what: string, call: Promise<T>): Promise<T | undefined> {
    try {
      return await call;
    } catch (error) {
      const name = error instanceof Error ? error.name : String(error);
      const killed = this.#ledger.disturbances.some((disturbance) => disturbance.what === 'kill');
      if (!EXPECTED.has(name) && !killed) this.#ledger.problem('a call failed', `${what}: ${error}`);
      return undefined;
    }
  }
}

/** The token of the last prompt of each walk. */
const LAST = 'Q0x';

/** Errors that a call may return at any time: the turn has ended, nothing can be forked yet, or the release has no such request. */
const EXPECTED: ReadonlySet<string> = new Set([
  'TurnEndedError',
  'SessionNotForkableError',
  'TurnCancelledError',
  'UnsupportedRequestError',
]);
