import type { Message, PermissionItem, Session, StreamItem, Turn, TurnCost, TurnOptions } from 'coxswain';
import type { AgentJob, FleetAgent } from '../agent/define-agent.ts';
import type { Database } from '../database/database.ts';
import { JOBS, notify } from '../database/log.ts';
import { whileUnavailable } from '../database/retry.ts';
import { DatabaseUnavailableError, LeaseLostError } from '../errors.ts';
import { type Lease, renewed, stopAt } from '../lease/lease.ts';
import type { FleetLimits } from '../limits.ts';
import type { Queue } from '../queue/queue.ts';
import { outcomeOfEnd, plainErrorOf, type TurnEnd, type TurnOutcome } from '../turn/outcome.ts';
import { storableCost } from '../turn/storable-cost.ts';
import type { FleetTracing } from '../turn/tracing.ts';
import { callAgent } from './agent-call.ts';
import { type Answered, Approvals } from './approvals.ts';
import type { Claim } from './claim.ts';
import { guarded, unguarded } from './guard.ts';
import { markSent } from './mark-sent.ts';
import { type AgentCalls, agentJob, CALLBACKS, openAgent, QuotaReached } from './open-agent.ts';
import { resume } from './pauses.ts';
import type { OnStep, WorkerStep } from './steps.ts';
import { TurnWriter } from './writer.ts';

/** How long a worker that drains keeps a turn that has ended while the database is away. Otherwise it keeps it until it is stored. */
const COMMIT_DRAINING_MS = 20_000;

/** How much longer than its agent `workspace.save()` may take when the worker drains. */
const SAVE_DRAINING_MS = 5_000;

/** The queue gives a job up after 24 hours, so no turn takes that long. */
const LONGEST_TURN_MS = 20 * 3_600_000;

/** What all turns of a worker share. */
export interface RunContext {
  readonly worker: string;
  readonly credential: string;
  readonly database: Database;
  readonly queue: Queue;
  readonly limits: FleetLimits;
  readonly tracing: FleetTracing;
  readonly agent: FleetAgent;
  readonly onStep: OnStep;
  /** Removes what opens the database from the errors of the agent. */
  readonly redact: <T>(value: T) => T;
  /** Told about what no outcome can say. */
  readonly onError: (error: unknown) => void;
}

/**
 * Why a worker gave a turn up: another one has the conversation, the lease could not be renewed because of the database, or this
 * process stood still for too long.
 */
export type Loss = 'taken' | 'database' | 'worker';

/** One turn on this worker, from its claim to its commit. */
export class Run {
  readonly claim: Claim;
  /** Settles when the turn is committed or given up and its processes are gone; never rejects. */
  readonly done: Promise<void>;
  lease: Lease;
  /** The agent is done; only the commit is missing. */
  ended = false;
  readonly #context: RunContext;
  readonly #writer: TurnWriter;
  readonly #approvals: Approvals;
  readonly #calls: AgentCalls = {
    guarded: (name, call) => guarded({ name, blame: (error) => this.#blame(error) }, call),
    call: (name, call) =>
      callAgent(name, () => this.#calls.guarded(name, call), {
        ms: this.#context.limits.agentCallMs,
        signal: this.#starting.signal,
      }),
  };
  #session: Session | undefined;
  #turn: Turn | undefined;
  #sent = false;
  #answered = false;
  #cancelledBy: string | undefined;
  #draining = false;
  /** The tenant has too little left today. */
  #held = false;
  #lost: Loss | undefined;
  /** The agent has read the prompt and given its last result. */
  #finished = false;
  /** The turn is over on this worker. */
  #over = false;
  /** What a function of the agent did outside of any call. */
  #fault: { readonly error: unknown } | undefined;
  /** Ends the wait for what comes before the prompt, and for what comes after the turn. */
  readonly #starting = new AbortController();
  readonly #saving = new AbortController();
  #giveUp: NodeJS.Timeout | undefined;
  #giveUpSaving: NodeJS.Timeout | undefined;
  #giveUpAt = Number.POSITIVE_INFINITY;
  #commitUntil = Number.POSITIVE_INFINITY;

  constructor(claim: Claim, context: RunContext) {
    const { database, limits, worker } = context;
    this.claim = claim;
    this.#context = context;
    this.lease = { askedAt: claim.askedAt, leaseMs: limits.leaseMs, stopBeforeMs: limits.stopBeforeMs };
    const until = (): number => (this.ended ? this.#commitUntil : stopAt(this.lease));
    const failed = (error: unknown): void => {
      const taken = error instanceof LeaseLostError;
      if (!taken) this.#context.onError(error);
      this.lose(taken ? 'taken' : 'database');
    };
    this.#writer = new TurnWriter({
      database,
      limits,
      claim,
      worker,
      until,
      failed,
      renewed: (askedAt) => this.renewed(askedAt),
    });
    this.#approvals = new Approvals(claim, this.#writer);
    this.done = this.#traced(() => this.#execute(until))
      .catch((error: unknown) => this.#context.onError(error))
      .finally(() => {
        this.#over = true;
        for (const timer of [this.#giveUp, this.#giveUpSaving]) clearTimeout(timer);
      });
  }

  /** The lease was renewed by a request that was sent then. */
  renewed(askedAt: number): void {
    this.lease = renewed(this.lease, askedAt);
  }

  /** The conversation may no longer be this worker's: ends the agent's processes. */
  lose(why: Loss): void {
    this.#lost ??= why;
    this.#starting.abort();
    void this.#session?.close();
  }

  /** The process is about to end: a turn that is finished is committed, and another worker decides about any other. */
  crash(): void {
    if (!this.#finished) this.lose('worker');
  }

  /** Interrupts the agent; ends it when it does not stop in time. */
  cancel(by: string): void {
    this.#cancelledBy ??= by;
    this.#interrupt(this.#context.limits.interruptMs);
  }

  /** The worker stops: interrupts the agent. */
  drain(graceMs: number): void {
    this.#draining = true;
    this.#commitUntil = Math.min(this.#commitUntil, performance.now() + graceMs + COMMIT_DRAINING_MS);
    clearTimeout(this.#giveUpSaving);
    this.#giveUpSaving = setTimeout(() => this.#saving.abort(), graceMs + SAVE_DRAINING_MS);
    this.#interrupt(graceMs);
  }

  /** Answers to approvals arrived. */
  answered(answers: readonly Answered[]): void {
    const session = this.#session;
    if (session) for (const answer of answers) this.#approvals.deliver(session, answer).catch(this.#context.onError);
  }

  #interrupt(graceMs: number): void {
    const at = performance.now() + (this.#sent ? graceMs : 0);
    // It is asked again and again; only a shorter time changes anything.
    if (this.ended || at >= this.#giveUpAt) return;
    this.#giveUpAt = at;
    clearTimeout(this.#giveUp);
    this.#turn?.interrupt().catch(() => {}); // The session is closed below.
    const giveUp = (): void => {
      this.#starting.abort();
      void this.#session?.close();
    };
    this.#giveUp = setTimeout(giveUp, Math.max(0, at - performance.now()));
  }

  async #traced(run: () => Promise<TurnOutcome | null>): Promise<void> {
    const { id: turn, key, epoch, attempt, submittedAt, traceparent, tracestate } = this.claim;
    const carrier = { ...(traceparent !== null && { traceparent }), ...(tracestate !== null && { tracestate }) };
    await this.#context.tracing.turn({ key, turn, carrier, epoch, attempt, submittedAt }, run);
  }

  /** Null if another worker decides about the turn. */
  async #execute(until: () => number): Promise<TurnOutcome | null> {
    let end: TurnEnd = { sent: false };
    let cost: TurnCost | undefined;
    let job: AgentJob | undefined;
    try {
      await this.#step('claimed');
      const started = await agentJob(this.claim, this.#context.agent, this.#calls);
      job = started;
      const session = await this.#open(started, until);
      // Cancelled or drained meanwhile: the prompt was not sent yet.
      this.#starting.signal.throwIfAborted();
      if (await this.#markSent(session.id ?? null, until)) {
        await this.#step('sent');
        const options = this.#calls.guarded('turn', () => this.#turnOptions(started));
        const turn = this.#calls.guarded(CALLBACKS, () => session.send(this.claim.prompt, options));
        this.#turn = turn;
        if (this.#cancelledBy !== undefined || this.#draining) turn.interrupt().catch(() => {});
        for await (const item of turn.items({ permissions: true })) await this.#take(item);
        this.#finished = true;
        end = { sent: true, result: turn.results.at(-1) };
        cost = storableCost(await turn.cost());
        this.#recordCost(cost);
        await this.#step('result');
      }
    } catch (error) {
      // Not the agent's failure.
      this.#lost ??= lossOf(error);
      this.#held = error instanceof QuotaReached;
      const result = this.#turn?.results.at(-1);
      end = { sent: this.#sent, ...(this.#fault ?? { error, result }) };
      cost = this.#turn && storableCost(await this.#turn.cost());
    } finally {
      clearTimeout(this.#giveUp);
      // The processes are gone before the conversation is let go.
      await this.#session?.close();
    }
    const finished = this.#finished;
    if (this.#lost === 'taken' || (this.#lost === 'worker' && !finished)) {
      // What becomes of the turn is decided by another worker, when the lease is over.
      this.#context.onError(new LeaseLostError(this.claim.key));
      return null;
    }
    this.ended = true;
    // The lease may be over; while no other worker has the conversation, this one still knows best how the turn ended.
    if (this.#lost !== undefined) await this.#writer.hold();
    const mustWait = this.#draining || this.#held || this.#lost === 'database';
    const isOpen = !this.#sent && this.#cancelledBy === undefined && this.#fault === undefined;
    if (mustWait && isOpen) {
      // Nothing has happened yet: another worker runs the turn, or this one later.
      await this.#writer.giveBack(this.#context.queue);
      return null;
    }
    return this.#commit({ ...end, database: this.#lost === 'database' && !finished }, cost, job);
  }

  /** Stores the cost while the processes end: a worker that dies before the commit does not take it along. */
  #recordCost(cost: TurnCost): void {
    const { id, token } = this.claim;
    const text = 'update @.turn set cost_usd = $3, cost = $4 where id = $1 and claim = $2';
    const values = [id, token, cost.costUsd, JSON.stringify(cost)];
    this.#writer.also(async (sql) => void (await sql.query(text, values)));
    this.#writer.flush().catch(() => {}); // The commit writes what could not be stored.
  }

  async #commit(end: TurnEnd, cost: TurnCost | undefined, job: AgentJob | undefined): Promise<TurnOutcome> {
    const { queue, credential, agent, limits, redact, onError: onRefused } = this.#context;
    let outcome = outcomeOfEnd({ ...end, cancelledBy: this.#cancelledBy, draining: this.#draining });
    try {
      const { workspace } = agent;
      if (job && this.#sent && workspace?.save) {
        const save = async (): Promise<void> => workspace.save?.(job, outcome);
        const call = (): Promise<void> => this.#calls.guarded('workspace.save', save);
        await callAgent('workspace.save', call, { ms: limits.agentCallMs, signal: this.#saving.signal });
      }
    } catch (error) {
      outcome = outcomeOfEnd({ sent: this.#sent, error });
    }
    if (outcome.kind === 'failed') outcome = redact(outcome);
    const sessionId = this.#sent ? (this.#session?.id ?? undefined) : undefined;
    let reached = false;
    const beforeCommit = async (): Promise<void> => {
      // Not again when the commit is repeated: a step that takes long would be the reason each time.
      if (reached) return;
      reached = true;
      await this.#step('committing');
    };
    const stored = await this.#writer.commit(queue, { outcome, cost, sessionId, credential, beforeCommit, onRefused });
    await this.#step('committed');
    return stored;
  }

  async #open(job: AgentJob, until: () => number): Promise<Session> {
    const { agent, database, limits } = this.#context;
    const parts = { claim: this.claim, agent, database, limits, until, calls: this.#calls };
    const session = await openAgent(job, { ...parts, writer: this.#writer, approvals: this.#approvals });
    this.#session = session;
    if (this.#lost !== undefined) void session.close();
    await session.ready;
    return session;
  }

  /** A function of the agent did something outside of any call that would end the process, perhaps long after the turn. */
  #blame(error: unknown): void {
    unguarded(() => this.#context.onError(error));
    // What an agent has finished stays finished.
    if (this.#over || this.#finished) return;
    this.#fault ??= { error };
    this.#starting.abort(error);
    void this.#session?.close();
  }

  #turnOptions(job: AgentJob): TurnOptions {
    const options = this.#context.agent.turn?.(job);
    return { ...options, timeoutMs: Math.min(options?.timeoutMs ?? LONGEST_TURN_MS, LONGEST_TURN_MS) };
  }

  /** Records that the prompt is about to be written; false if the turn was cancelled. */
  async #markSent(sessionId: string | null, until: () => number): Promise<boolean> {
    await this.#writer.flush();
    const { database } = this.#context;
    const permission = await whileUnavailable(
      () => markSent(database, this.claim, this.#writer.fence, sessionId),
      until,
    );
    this.renewed(permission.askedAt);
    this.#sent = permission.sent;
    if (!permission.sent) this.#cancelledBy ??= permission.by;
    return permission.sent;
  }

  async #take(item: StreamItem | PermissionItem): Promise<void> {
    const writer = this.#writer;
    const { redact } = this.#context;
    switch (item.kind) {
      case 'message': {
        const kind = item.message.type === 'stream_event' ? 'partial' : 'message';
        writer.event({ kind, body: `{"message":${item.rawJson}}` });
        if (item.message.type === 'assistant' && !this.#answered) {
          this.#answered = true;
          if (this.claim.probe && isAnswer(item.message)) this.#resumeOthers();
          const { id, token } = this.claim;
          writer.also(
            async (sql) =>
              void (await sql.query('update @.turn set answered = true where id = $1 and claim = $2', [id, token])),
          );
          // Where it decides whether the prompt may be sent again, it is stored at once.
          if ((this.#context.agent.replay ?? 'never') !== 'never') await writer.flush();
          await this.#step('answering');
        }
        break;
      }
      case 'warning':
        writer.event({ kind: 'warning', body: JSON.stringify({ warning: redact(item.warning) }) });
        break;
      case 'error':
        writer.event({ kind: 'error', body: JSON.stringify({ error: redact(plainErrorOf(item.error)) }) });
        break;
      case 'permission-requested':
        await this.#approvals.read(item.request);
        break;
      case 'permission-answered':
        this.#approvals.closed(item.id, item.decision);
        break;
    }
    await writer.room();
    if (this.#lost !== undefined) throw new LeaseLostError(this.claim.key);
  }

  /** This turn went first after a rate limit, and may take long: the others need not wait for its end. */
  #resumeOthers(): void {
    const { credential, database, worker } = this.#context;
    this.#writer.also(async (sql) => {
      if (await resume(sql, credential, worker)) await notify(sql, database.schema, JOBS);
    });
  }

  async #step(step: WorkerStep): Promise<void> {
    const { id, key } = this.claim;
    await this.#context.onStep(step, { id, key });
  }
}

/** The CLI also writes messages itself, such as that a limit was met. */
function isAnswer({ message, error }: Extract<Message, { type: 'assistant' }>): boolean {
  return (error ?? null) === null && message.model !== '<synthetic>';
}

/** The lease is lost, or the database was away for too long; the session store wraps such errors. */
function lossOf(error: unknown): Loss | undefined {
  if (error instanceof LeaseLostError) return 'taken';
  if (error instanceof DatabaseUnavailableError) return 'database';
  return error instanceof Error && error.cause !== undefined ? lossOf(error.cause) : undefined;
}
