import {
  type AgentOptions,
  type Message,
  openSession,
  type PermissionItem,
  type Session,
  type StreamItem,
  type Turn,
  type TurnCost,
  type TurnOptions,
} from 'coxswain';
import type { AgentJob, FleetAgent, FleetAgentOptions } from '../agent/define-agent.ts';
import { type Database, whileUnavailable } from '../database/database.ts';
import { JOBS, notify } from '../database/log.ts';
import { AgentFunctionError, DatabaseUnavailableError, LeaseLostError, TurnDataError } from '../errors.ts';
import { type Lease, renewed, stopAt } from '../lease/lease.ts';
import type { FleetLimits } from '../limits.ts';
import type { Queue } from '../queue/queue.ts';
import { outcomeOfEnd, plainErrorOf, type TurnEnd, type TurnOutcome } from '../turn/outcome.ts';
import type { FleetTracing } from '../turn/tracing.ts';
import { callAgent } from './agent-call.ts';
import { type Answered, Approvals } from './approvals.ts';
import type { Claim } from './claim.ts';
import { insertEvents, passFence } from './fence.ts';
import { resume } from './pauses.ts';
import type { OnStep, WorkerStep } from './steps.ts';
import { turnStore } from './turn-store.ts';
import { TurnWriter } from './writer.ts';

/** How long a turn that has ended is kept while the database is away; when the worker drains, not so long. */
const COMMIT_MS = 10 * 60_000;
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
  /** Told about what no outcome can say. */
  readonly onError: (error: unknown) => void;
}

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
  #session: Session | undefined;
  #turn: Turn | undefined;
  #sent = false;
  #answered = false;
  #cancelledBy: string | undefined;
  #draining = false;
  #lost = false;
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
      this.#context.onError(error);
      this.lose();
    };
    this.#writer = new TurnWriter({ database, limits, claim, worker, until, failed });
    this.#approvals = new Approvals(claim, this.#writer);
    this.done = this.#traced(() => this.#execute(until))
      .catch((error: unknown) => this.#context.onError(error))
      .finally(() => {
        for (const timer of [this.#giveUp, this.#giveUpSaving]) clearTimeout(timer);
      });
  }

  /** The lease was renewed by a request that was sent then. */
  renewed(askedAt: number): void {
    this.lease = renewed(this.lease, askedAt);
  }

  /** The conversation is no longer this worker's: ends the agent's processes, and writes nothing more. */
  lose(): void {
    this.#lost = true;
    this.#starting.abort();
    void this.#session?.close();
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
      job = await this.#job();
      const session = await this.#open(job, until);
      // Cancelled or drained meanwhile: the prompt was not sent yet.
      this.#starting.signal.throwIfAborted();
      if (await this.#markSent(session.id ?? null, until)) {
        await this.#step('sent');
        const turn = session.send(this.claim.prompt, this.#turnOptions(job));
        this.#turn = turn;
        if (this.#cancelledBy !== undefined || this.#draining) turn.interrupt().catch(() => {});
        for await (const item of turn.items({ permissions: true })) await this.#take(item);
        end = { sent: true, result: turn.results.at(-1) };
        await this.#step('result');
        cost = await turn.cost();
      }
    } catch (error) {
      // Not the agent's failure: what becomes of the turn is decided when its lease is over, by what was stored.
      if (isOfDatabase(error)) this.#lost = true;
      end = { sent: this.#sent, error, result: this.#turn?.results.at(-1) };
      cost = await this.#turn?.cost();
    } finally {
      clearTimeout(this.#giveUp);
      // The processes are gone before the conversation is let go.
      await this.#session?.close();
    }
    if (this.#lost) return null;
    this.ended = true;
    this.#commitUntil = Math.min(this.#commitUntil, performance.now() + COMMIT_MS);
    if (this.#draining && !this.#sent && this.#cancelledBy === undefined) {
      // Nothing has happened yet: another worker runs the turn.
      await this.#writer.giveBack(this.#context.queue);
      return null;
    }
    return this.#commit(end, cost, job);
  }

  async #commit(end: TurnEnd, cost: TurnCost | undefined, job: AgentJob | undefined): Promise<TurnOutcome> {
    const { queue, credential, agent, limits } = this.#context;
    let outcome = outcomeOfEnd({ ...end, cancelledBy: this.#cancelledBy, draining: this.#draining });
    try {
      const { workspace } = agent;
      if (job && this.#sent && workspace?.save) {
        const save = async (): Promise<void> => workspace.save?.(job, outcome);
        await callAgent('workspace.save', save, { ms: limits.agentCallMs, signal: this.#saving.signal });
      }
    } catch (error) {
      outcome = outcomeOfEnd({ sent: this.#sent, error });
    }
    const sessionId = this.#sent ? (this.#session?.id ?? undefined) : undefined;
    const beforeCommit = (): Promise<void> => this.#step('committing');
    await this.#writer.commit(queue, { outcome, cost, sessionId, credential, beforeCommit });
    await this.#step('committed');
    return outcome;
  }

  async #job(): Promise<AgentJob> {
    const { id, key, tenant, prompt, attempt, epoch } = this.claim;
    const { data: schema } = this.#context.agent;
    let { data } = this.claim;
    if (schema !== undefined) {
      const checked = await this.#call('data', () => schema['~standard'].validate(data));
      if (checked.issues) throw new TurnDataError(checked.issues);
      data = checked.value;
    }
    return { id, key, tenant, prompt, data, attempt, epoch };
  }

  async #open(job: AgentJob, until: () => number): Promise<Session> {
    const { agent, database } = this.#context;
    const [options, place] = await this.#call('options or workspace.prepare', () =>
      Promise.all([agent.options(job), agent.workspace?.prepare(job)]),
    );
    if (typeof options !== 'object' || options === null)
      throw new AgentFunctionError('options', 'must return an object with options.');
    if (agent.workspace !== undefined && typeof place?.cwd !== 'string')
      throw new AgentFunctionError('workspace.prepare', 'must return an object with the folder, { cwd }.');
    const store = turnStore(database, this.#writer, until);
    const { sessionId, key } = this.claim;
    // A worker that died early may have left a session id without a transcript.
    const known = sessionId !== null && (await whileUnavailable(() => hasTranscript(database, key, sessionId), until));
    const session = openSession({
      ...this.#options(options),
      ...(place && { cwd: place.cwd }),
      sessionStore: store,
      storeProject: key,
      // The disk of a worker is not where conversations of all tenants belong.
      storeOnly: true,
      ...(known ? { resume: sessionId } : { sessionId: crypto.randomUUID() }),
    });
    this.#session = session;
    if (this.#lost) void session.close();
    await session.ready;
    return session;
  }

  #call<T>(name: string, call: () => T | Promise<T>): Promise<T> {
    return callAgent(name, call, { ms: this.#context.limits.agentCallMs, signal: this.#starting.signal });
  }

  #options(given: FleetAgentOptions): AgentOptions {
    const { canUseTool, env, limits, ...options } = given;
    const { stopBeforeMs } = this.#context.limits;
    return {
      ...options,
      // The agent must not reach the database of the fleet.
      env: { COXSWAIN_DATABASE_URL: undefined, PGPASSWORD: undefined, PGPASSFILE: undefined, ...env },
      // The whole process tree is gone before the lease ends.
      limits: { ...limits, graceMs: Math.round(stopBeforeMs / 3), termMs: Math.round(stopBeforeMs / 3) },
      ...(canUseTool && { canUseTool: this.#approvals.asking(canUseTool) }),
    };
  }

  #turnOptions(job: AgentJob): TurnOptions {
    const options = this.#context.agent.turn?.(job);
    return { ...options, timeoutMs: Math.min(options?.timeoutMs ?? LONGEST_TURN_MS, LONGEST_TURN_MS) };
  }

  /** Records that the prompt is about to be written; false if the turn was cancelled. From here on it is not silently repeated. */
  async #markSent(sessionId: string | null, until: () => number): Promise<boolean> {
    const { id, key, epoch, attempt } = this.claim;
    const { database, worker } = this.#context;
    await this.#writer.flush();
    const { sent, by } = await whileUnavailable(
      () =>
        database.transaction(async (sql) => {
          await passFence(sql, this.#writer.fence);
          const [turn] = await sql.query<{ state: string; cancelled_by: string | null }>(
            'select state, cancelled_by from @.turn where id = $1 and epoch = $2 for update',
            [id, epoch],
          );
          // The answer to an earlier commit may have been lost with its connection.
          if (turn?.state === 'sent') return { sent: true, by: undefined };
          if (turn === undefined || turn.cancelled_by !== null)
            return { sent: false, by: turn?.cancelled_by ?? 'unknown' };
          await sql.query(`update @.turn set state = 'sent' where id = $1`, [id]);
          const [row] = await sql.query<{ event_seq: number }>(
            `update @.conversation set event_seq = event_seq + 1, session_id = coalesce($2, session_id) where key = $1
             returning event_seq`,
            [key, sessionId],
          );
          const body = { state: 'sent', worker, attempt };
          await insertEvents(sql, key, id, row?.event_seq ?? 0, [{ kind: 'state', body: JSON.stringify(body) }]);
          return { sent: true, by: undefined };
        }),
      until,
    );
    this.#sent = sent;
    if (!sent) this.#cancelledBy ??= by;
    return sent;
  }

  async #take(item: StreamItem | PermissionItem): Promise<void> {
    const writer = this.#writer;
    switch (item.kind) {
      case 'message': {
        const kind = item.message.type === 'stream_event' ? 'partial' : 'message';
        writer.event({ kind, body: `{"message":${item.rawJson}}` });
        if (item.message.type === 'assistant' && !this.#answered) {
          this.#answered = true;
          if (this.claim.probe && isAnswer(item.message)) this.#resumeOthers();
          const { id, epoch } = this.claim;
          writer.also(
            async (sql) =>
              void (await sql.query('update @.turn set answered = true where id = $1 and epoch = $2', [id, epoch])),
          );
          // Where it decides whether the prompt may be sent again, it is stored at once.
          if ((this.#context.agent.replay ?? 'never') !== 'never') await writer.flush();
          await this.#step('answering');
        }
        break;
      }
      case 'warning':
        writer.event({ kind: 'warning', body: JSON.stringify({ warning: item.warning }) });
        break;
      case 'error':
        writer.event({ kind: 'error', body: JSON.stringify({ error: plainErrorOf(item.error) }) });
        break;
      case 'permission-requested':
        await this.#approvals.read(item.request);
        break;
      case 'permission-answered':
        this.#approvals.closed(item.id, item.decision);
        break;
    }
    await writer.room();
    if (this.#lost) throw new LeaseLostError(this.claim.key);
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

async function hasTranscript(database: Database, key: string, sessionId: string): Promise<boolean> {
  const found = await database.query(
    `select 1 from @.entry where key = $1 and session_id = $2 and subpath = '' limit 1`,
    [key, sessionId],
  );
  return found.length > 0;
}

/** The database was away for too long, or the lease is lost; the session store wraps such errors. */
function isOfDatabase(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError || error instanceof LeaseLostError) return true;
  return error instanceof Error && error.cause !== undefined && isOfDatabase(error.cause);
}
