import { ControlTimeoutError, NoSuchPermissionError } from '../errors/control.ts';
import { OptionsError } from '../errors/options.ts';
import { SessionUnhealthyError } from '../errors/pool.ts';
import { CliExitedDuringInitError } from '../errors/start.ts';
import { AbortError } from '../errors/stream.ts';
import type { PermissionDecision } from '../hooks/outcome.ts';
import { NO_COST } from '../messages/turn-cost.ts';
import type { Redactor } from '../redact.ts';
import type { SessionHandle } from '../session/handle.ts';
import { openPlainSession } from '../session/open.ts';
import type { Session } from '../session/session.ts';
import type { RunEvent } from '../stream/events.ts';
import { onAbort } from '../stream/on-abort.ts';
import { readOutput } from '../stream/output.ts';
import { within } from '../stream/within.ts';
import type { Message, RateLimitEventMessage } from '../wire/messages.ts';
import type { Conversations } from './conversations.ts';
import type { EventHub } from './event-hub.ts';
import type { EvictReason } from './events.ts';
import type { PlainError } from './job.ts';
import type { PoolPlan } from './options.ts';
import { type Ending, toldError } from './outcomes.ts';
import type { PendingPermission } from './pool.ts';
import type { JobHandle, JobStart } from './pool-job.ts';
import type { SlotEvent, StopReason } from './scheduler.ts';
import { directoryOf, type LayerParts, ownOptions, sessionLayers } from './session-layers.ts';

/** What an occupant needs of its pool. */
export interface OccupantHost {
  readonly plan: PoolPlan;
  readonly conversations: Conversations;
  readonly hub: EventHub;
  feed(event: SlotEvent): void;
  /** How a job's turn ended; told before `turn-ended`. */
  ended(job: JobHandle, ending: Ending): void;
  /** A message came; the results of jobs are not among them. */
  seen(message: Message): void;
}

/** The session in a slot, from the start of its process to the end of it. */
export class Occupant {
  readonly slot: number;
  readonly prewarmed: boolean;
  /** The key it serves; `null` for none, or not yet. */
  key: string | null = null;
  resumed = false;
  readonly #host: OccupantHost;
  #session: SessionHandle<unknown> | undefined;
  /** The directory it runs in. */
  #cwd = '';
  /** The job that runs or waits for the start, and the last that did. */
  #job: JobHandle | undefined;
  #last: JobHandle | undefined;
  /** Takes back what a cancelled start would do. */
  #forgetStart: () => void = () => {};
  /** The jobs in which the permissions were asked for that are unanswered. */
  readonly #askedIn = new Map<string, string | null>();
  #work: Promise<void> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #rateLimit: RateLimitEventMessage | undefined;
  #started = false;
  #leaving = false;
  #failed = false;
  #checking = false;

  constructor(slot: number, first: JobHandle | undefined, host: OccupantHost) {
    this.slot = slot;
    this.prewarmed = first === undefined;
    this.#host = host;
  }

  get sessionId(): string | null {
    return this.#session?.id ?? null;
  }

  /** Starts the process, for a job or ahead of one, and stays until it is gone. Never rejects. */
  async live(first: JobHandle | undefined): Promise<void> {
    const { slot } = this;
    if (first) this.take(first);
    try {
      const session = await this.#start(first);
      this.#forgetStart();
      this.#started = true;
      this.#tellStart();
      if (FINAL.has(session.state)) this.#host.feed({ type: 'sick', slot });
      this.#host.feed({ type: 'ready', slot });
      if (this.#job) this.#work = this.#run(this.#job);
      else if (this.#last) this.#host.feed({ type: 'settled', slot });
      await session.closed;
    } catch (error) {
      this.#forgetStart();
      const failure = error instanceof Error ? error : new Error(String(error));
      this.#fail(failure);
      this.#host.feed({ type: 'sick', slot });
      if (this.#job) this.#end(this.#job, { error: failure, sessionId: null, cost: NO_COST }, true);
      await this.#session?.closed;
    }
    await this.#work;
    this.rest(false);
  }

  /** Gives it a job of its key. One that it is given before it has started begins then, as that of a cold start does. */
  take(job: JobHandle): void {
    this.rest(false);
    this.#job = job;
    this.#last = job;
    this.key = job.key ?? null;
    if (this.#started) this.#work = this.#run(job);
    else this.#forgetStart = onAbort(job.signal, () => this.#cancelStart());
  }

  /** Starts or stops the clock after which it is evicted. */
  rest(resting: boolean): void {
    clearTimeout(this.#idle);
    if (!resting) return;
    this.#idle = setTimeout(() => this.#host.feed({ type: 'expired', slot: this.slot }), this.#host.plan.idleMs);
    // The process itself holds the host.
    this.#idle.unref();
  }

  /** Ends it in good order. */
  stop(why: StopReason): void {
    this.rest(false);
    // Of one that is sick the reason is still to be told.
    this.#leaving = why !== 'sick';
    const { slot, key, sessionId } = this;
    const evicted = EVICTIONS[why];
    if (evicted) this.#host.hub.emit({ type: 'session-evicted', slot, key, sessionId, why: evicted });
    void this.#session?.close();
  }

  /** Looks whether it is well, and asks it something to be sure. */
  async check(): Promise<void> {
    const session = this.#session;
    if (session?.state !== 'running' || this.#leaving || this.#checking) return;
    const health = session.health();
    if (health.status === 'unhealthy') return this.#giveUp(health.reason);
    const { healthTimeoutMs: timeoutMs } = this.#host.plan;
    this.#checking = true;
    try {
      await session.request('mcp_status', {}, { timeoutMs });
    } catch (error) {
      // Any other failure is an answer, or comes with the session's end.
      if (error instanceof ControlTimeoutError) this.#giveUp(`it gave no sign of life within ${timeoutMs} ms`, error);
    } finally {
      this.#checking = false;
    }
  }

  pendingPermissions(): readonly PendingPermission[] {
    return (this.#session?.pendingPermissions() ?? []).map((request) => ({
      id: this.#permissionId(request.id),
      job: this.#askedIn.get(request.id) ?? null,
      key: this.key,
      request,
    }));
  }

  /** @throws NoSuchPermissionError */
  async answerPermission(id: string, answer: PermissionDecision): Promise<void> {
    if (!this.#session) throw new NoSuchPermissionError(id);
    await this.#session.answerPermission(id, answer);
  }

  /** Opens the session and waits until it is ready. @throws the start error, OptionsError, what `session(key)` throws */
  async #start(first: JobHandle | undefined): Promise<Session> {
    const { plan, conversations, hub } = this.#host;
    const { key } = this;
    const known = key === null ? undefined : conversations.get(key);
    const own = first && ownOptions(plan.session, key);
    const job = first?.plan.process;
    const resume = known?.id ?? first?.resume;
    try {
      return await this.#open({ job, own, resume, model: known?.model });
    } catch (error) {
      if (!known || key === null || !isNotFound(error)) throw error;
      if (known.kept && known.cwd !== this.#cwd) throw elsewhere(key, known.cwd, this.#cwd);
      conversations.forget(key);
      if (known.kept) {
        hub.emit({ type: 'key-forgotten', key, sessionId: known.id, why: 'not-found' });
        throw error;
      }
      // The CLI died before it had written anything down: there is nothing to take up.
      return await this.#open({ job, own, resume: first?.resume });
    }
  }

  async #open(parts: Pick<LayerParts, 'job' | 'own' | 'resume' | 'model'>): Promise<Session> {
    const onEvent = (event: RunEvent): void => this.#onEvent(event);
    const layers = sessionLayers({ key: this.key, ...parts, shared: this.#host.plan.layers, onEvent });
    const session = openPlainSession(layers);
    this.#session = session;
    this.#cwd = directoryOf(layers);
    this.resumed = parts.resume !== undefined;
    if (this.#leaving) void session.close();
    await session.ready;
    void this.#watch(session);
    return session;
  }

  async #watch(session: Session): Promise<void> {
    for await (const seen of session.messages()) {
      if (seen.kind !== 'message') continue;
      if (seen.message.type === 'rate_limit_event') this.#rateLimit = seen.message;
      // The result of a job comes with its end.
      if (seen.message.type !== 'result' || seen.turn === null) this.#host.seen(seen.message);
    }
  }

  async #run(job: JobHandle): Promise<void> {
    const session = this.#session;
    if (!session) return;
    const { slot, key } = this;
    this.#rateLimit = undefined;
    const turn = job.inContext(() => session.send(job.prompt, { ...job.plan.turn, signal: job.signal }));
    const costed = turn.cost();
    job.begin(this.#startOf(job, turn));
    this.#host.hub.emit({ type: 'job-started', job: job.id, key, slot, sessionId: this.sessionId });
    let how: Pick<Extract<Ending, { result: unknown }>, 'result' | 'rateLimit'> | { readonly error: Error };
    try {
      const result = await turn.result();
      this.#noteConversation(true);
      how = { result, rateLimit: this.#rateLimit };
    } catch (error) {
      // Promises of the library reject with errors only.
      how = { error: job.failure ?? (error as Error) };
    }
    const looked = isQuiet(session);
    // One that was cancelled costs what the CLI spends until it has obeyed, or is gone.
    const ending: Ending = { ...how, sessionId: this.sessionId, cost: await costed };
    const quiet = await looked;
    this.#end(job, ending, quiet);
    if (quiet) return;
    await within(this.#host.plan.backgroundWaitMs, session.idle(), { unref: true });
    if (this.#last === job) this.#host.feed({ type: 'settled', slot });
  }

  #startOf({ plan }: JobHandle, turn: JobStart['turn']): JobStart {
    const { outputSchema } = plan.process;
    const redact: Redactor = (text) => this.#session?.redact(text) ?? text;
    return {
      turn,
      readOutput: outputSchema && ((result) => readOutput(result, { outputSchema, redact })),
      permissionId: (id) => this.#permissionId(id),
    };
  }

  /** The job that waits for the start is not wanted any more; the session itself may still be of use. */
  #cancelStart(): void {
    const job = this.#job;
    if (!job) return;
    const error = job.failure ?? new AbortError(job.signal.reason);
    this.#end(job, { error, sessionId: null, cost: NO_COST }, false);
  }

  #end(job: JobHandle, ending: Ending, quiet: boolean): void {
    this.#job = undefined;
    this.#host.ended(job, ending);
    this.#host.feed({ type: 'turn-ended', slot: this.slot, quiet });
  }

  #onEvent(event: RunEvent): void {
    const { hub } = this.#host;
    const { slot, key } = this;
    switch (event.type) {
      case 'turn-started':
        this.#noteConversation(false);
        return;
      case 'state-changed':
        // At once, so that no job is given to a session that is over.
        if (FINAL.has(event.state) && !this.#mayRetry) this.#host.feed({ type: 'sick', slot });
        return;
      case 'failed':
        if (this.#mayRetry) return;
        this.#tellFailure({ ...event.error, name: String(event.error.name), message: String(event.error.message) });
        return;
      case 'cost-reported':
        // What belongs to a turn is in its job's outcome.
        if (event.turn !== null) return;
        hub.emit({ type: 'background-cost', slot, key, sessionId: this.sessionId, cost: event.cost });
        return;
      case 'permission-requested': {
        const { request } = event;
        const job = this.#job?.id ?? null;
        this.#askedIn.set(request.id, job);
        hub.emit({ type: 'permission-requested', id: this.#permissionId(request.id), job, key, request });
        return;
      }
      case 'permission-answered': {
        const { id, decision } = event;
        const job = this.#askedIn.get(id) ?? null;
        this.#askedIn.delete(id);
        hub.emit({ type: 'permission-answered', id: this.#permissionId(id), job, key, decision });
      }
    }
  }

  /** A start for a job that fails may be tried once more; `live` has the last word. */
  get #mayRetry(): boolean {
    return !this.#started && !this.prewarmed;
  }

  /** A turn of its key's conversation has begun, or has ended and is `kept`. */
  #noteConversation(kept: boolean): void {
    const { key, sessionId } = this;
    if (key === null || sessionId === null) return;
    const model = this.#session?.modelToKeep;
    this.#host.conversations.note(key, { id: sessionId, kept, cwd: this.#cwd, model });
  }

  #giveUp(reason: string, cause?: unknown): void {
    const failure = new SessionUnhealthyError(reason, cause);
    this.#job?.explain(failure);
    this.#fail(failure);
    this.#host.feed({ type: 'sick', slot: this.slot });
  }

  #tellStart(): void {
    const { conversations, hub } = this.#host;
    const { slot, key, sessionId, resumed, prewarmed } = this;
    const pid = this.#session?.pid ?? null;
    hub.emit({ type: 'session-started', slot, key, sessionId, pid, resumed, prewarmed });
    const replaces = key === null ? undefined : conversations.get(key)?.lostBy;
    if (key !== null && replaces !== undefined) hub.emit({ type: 'session-replaced', slot, key, sessionId, replaces });
  }

  #fail(failure: Error): void {
    this.#tellFailure(toldError(failure));
  }

  #tellFailure(error: PlainError): void {
    if (this.#failed || this.#leaving) return;
    this.#failed = true;
    const { slot, key, sessionId } = this;
    if (key !== null) this.#host.conversations.lost(key, slot);
    this.#host.hub.emit({ type: 'session-failed', slot, key, sessionId, error });
  }

  /** Request ids are the CLI's own: two sessions may use the same. */
  #permissionId(id: string): string {
    return `${this.slot}:${id}`;
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof CliExitedDuringInitError && /No conversation found/.test(error.message);
}

/** A conversation that is only known in the directory where it began. */
function elsewhere(key: string, began: string, wanted: string): OptionsError {
  const message = `is ${wanted}, but the conversation of the key ${JSON.stringify(key)} is in ${began}, and this CLI does not find it from elsewhere. Give the job that directory, or another key.`;
  return new OptionsError([{ path: 'options.cwd', message }]);
}

/** Whether nothing goes on in the background of a session whose turn has just ended. */
function isQuiet(session: Session): Promise<boolean> {
  const busy = new Promise<boolean>((resolve) => setImmediate(resolve, false));
  return Promise.race([session.idle().then(() => true), busy]);
}

/** What is told of a session that is stopped while its key may still need it. */
const EVICTIONS: { readonly [R in StopReason]?: EvictReason } = {
  needed: 'needed',
  expired: 'idle',
  changed: 'options',
};

const FINAL: ReadonlySet<string> = new Set(['stopping', 'stopped', 'ended', 'failed']);
