import { outcomeOf, type Session, type Turn, type TurnCost } from 'coxswain';
import type { AgentJob } from '../agent/define-agent.ts';
import { retryWhileUnavailable } from '../database/retry.ts';
import { LeaseLostError } from '../errors.ts';
import { type Lease, renewed, stopAt } from '../lease/lease.ts';
import type { TurnOutcome } from '../turn/outcome.ts';
import { storableCost } from '../turn/storable-cost.ts';
import { type AgentCalls, agentCalls } from './agent-calls.ts';
import { isBoundToProcess } from './agent-terms.ts';
import { Approvals } from './approvals.ts';
import type { Claim } from './claim.ts';
import { CliRelease } from './cli-release.ts';
import { type AgentEnd, TurnCommit } from './commit-turn.ts';
import { Ending, type Loss, lossOf } from './ending.ts';
import { isCommand } from './is-command.ts';
import { markSent } from './mark-sent.ts';
import { agentJob, CALLBACKS, openAgent, QuotaReached } from './open-agent.ts';
import { parkTurn } from './park-turn.ts';
import { unguarded } from './process-guard.ts';
import { releaseTurn } from './release-turn.ts';
import type { RunContext } from './run-context.ts';
import { hasExited, isAbandoned, isReleased, isUnfinished, type RunPhase } from './run-phase.ts';
import { Steering, type StoredSteer } from './steering.ts';
import type { WorkerStep } from './steps.ts';
import { type SeenItems, storeItems } from './store-items.ts';
import type { StoredAnswer } from './stored-answer.ts';
import { TurnNotice } from './turn-notice.ts';
import { turnOptions } from './turn-options.ts';
import { TurnParking } from './turn-parking.ts';
import { endsBecause } from './warm-decision.ts';
import { isIdle, type WarmSession } from './warm-sessions.ts';
import { TurnWriter } from './writer.ts';

/** Time until the next attempt to resume a parked turn: 4 s, 16 s, 64 s, 256 s. */
const resumeDelayMs = (attempt: number): number => 1_000 * 4 ** Math.min(attempt, 6);

/** One turn on this worker, from its claim to its commit. */
export class Run {
  readonly claim: Claim;
  /** Settles when the turn is committed, released or lost, and its processes have exited; never rejects. */
  readonly done: Promise<void>;
  readonly #context: RunContext;
  readonly #ending = new Ending();
  readonly #calls: AgentCalls;
  readonly #writer: TurnWriter;
  readonly #approvals: Approvals;
  readonly #commit: TurnCommit;
  readonly #steering: Steering;
  #phase: RunPhase = 'preparing';
  #lease: Lease;
  #session: Session | undefined;
  #opened: WarmSession | undefined;
  #turn: Turn | undefined;
  readonly #seen: SeenItems = { modeChanged: false, acted: false };
  readonly #notice: TurnNotice;
  readonly #cliRelease: CliRelease;
  /** Stops ending the session with the run. */
  #letGo: () => void = () => {};
  readonly #parking: TurnParking;

  constructor(claim: Claim, context: RunContext) {
    const { database, limits, worker } = context;
    this.claim = claim;
    this.#context = context;
    this.#lease = { requestedAt: claim.requestedAt, leaseMs: limits.leaseMs, stopBeforeMs: limits.stopBeforeMs };
    this.#calls = agentCalls({
      onFault: (error) => this.#fault(error),
      ms: limits.agentCallMs,
      signal: this.#ending.signal,
    });
    this.#writer = new TurnWriter({
      database,
      limits,
      claim,
      worker,
      until: this.#until,
      failed: (error) => this.#writeFailed(error),
      renewed: (requestedAt) => this.renewed(requestedAt),
    });
    this.#approvals = new Approvals(claim, this.#writer, context.queue);
    this.#notice = new TurnNotice(this.#writer);
    this.#cliRelease = new CliRelease(claim, this.#writer, context.agents);
    this.#steering = new Steering(claim, this.#writer, context);
    this.#commit = new TurnCommit(claim, context, this.#writer, this.#calls);
    const { parkAfterMs } = context.agent;
    this.#parking = new TurnParking(this.#approvals, {
      parkAfterMs,
      session: () => this.#session,
      onError: context.onError,
    });
    let outcome: TurnOutcome | null = null;
    this.done = this.#traced(async () => {
      outcome = await this.#execute();
      return outcome;
    })
      .catch((error: unknown) => context.onError(error))
      .finally(() => {
        this.#phase = 'over';
        context.warm.ended(claim, outcome?.kind === 'completed');
        this.#ending.clear();
        this.#parking.clear();
        this.#commit.clear();
      });
  }

  async #traced(run: () => Promise<TurnOutcome | null>): Promise<void> {
    const { id: turn, key, epoch, attempt, submittedAt, traceparent, tracestate } = this.claim;
    const carrier = { ...(traceparent !== null && { traceparent }), ...(tracestate !== null && { tracestate }) };
    await this.#context.tracing.turn({ key, turn, carrier, epoch, attempt, submittedAt }, run);
  }

  /** Runs the agent, then commits or releases the turn. Null if this run does not decide its outcome. */
  async #execute(): Promise<TurnOutcome | null> {
    const end = await this.#runAgent();
    if (isAbandoned(end.reached, this.#ending.reasons)) {
      this.#context.onError(new LeaseLostError(this.claim.key));
      return null;
    }
    this.#phase = 'storing';
    // The lease may have expired. Unless another worker has the conversation, this one stores how its turn ended.
    if (this.#ending.reasons.lost !== undefined) await this.#writer.renewLease();
    const { parked } = this.claim;
    if (isReleased(end.reached, this.#ending.reasons)) {
      if (parked) await parkTurn(this.claim, this.#context, this.#writer, { approval: parked.approval });
      else await releaseTurn(this.claim, this.#context, this.#writer);
      return null;
    }
    const sessionId = end.reached === 'preparing' ? undefined : this.#session?.id;
    const { reasons } = this.#ending;
    if (parked && end.resumesLater && reasons.cancelledBy === undefined) {
      this.#context.onError(end.error);
      const againMs = resumeDelayMs(this.claim.attempt);
      const write = { approval: parked.approval, cost: end.cost, againMs };
      await parkTurn(this.claim, this.#context, this.#writer, write);
      return null;
    }
    if (end.parkedWith === undefined || reasons.cancelledBy !== undefined)
      return this.#commit.store(end, reasons, sessionId);
    return this.#commit.park(end, end.parkedWith, reasons, sessionId);
  }

  /** From the first call of the agent's functions to the exit of its processes. */
  async #runAgent(): Promise<AgentEnd> {
    let job: AgentJob | undefined;
    try {
      await this.#step('claimed');
      job = await agentJob(this.claim, this.#context.agent, this.#calls);
      const { parked } = this.claim;
      // A CLI that resumes a turn works on it as soon as it starts.
      if (parked && !(await this.#markSent(parked.parked.sessionId)))
        return { reached: 'preparing', job, acted: false };
      const session = await this.#open(job);
      if (!parked && !(await this.#markSent(session.id))) return { reached: 'preparing', job, acted: false };
      await this.#step('sent');
      const turn = session.parkedTurn ?? this.#send(session, job);
      this.#turn = turn;
      if (parked) this.#notice.pass(turn);
      this.#steering.begin(turn);
      await this.#storeItems(turn);
      this.#cliRelease.record(session);
      this.#requireTool(turn);
      this.#phase = 'finished';
      const cost = storableCost(await turn.cost());
      this.#recordCost(cost);
      await this.#step('result');
      return { reached: 'finished', job, acted: this.#seen.acted, result: turn.results.at(-1), cost };
    } catch (error) {
      // Awaited here: the cost is read before the session closes.
      return await this.#failed(error, job);
    } finally {
      this.#ending.clear();
      await this.#steering.end();
      // Awaited: unless they stay for the next turn, the processes exit before another worker can have the conversation.
      if (!(await this.#keepsSession())) await this.#session?.close();
    }
  }

  /** Leaves the session of a turn that is completed to the next one. */
  async #keepsSession(): Promise<boolean> {
    const opened = this.#opened;
    if (opened === undefined || this.#turn === undefined) return false;
    const { session, terms } = opened;
    const { claim } = this;
    const result = this.#turn.results.at(-1);
    const why = endsBecause({
      reached: this.#phase === 'finished' ? 'finished' : 'preparing',
      outcome: result && outcomeOf(result).kind,
      reasons: this.#ending.reasons,
      wasParked: claim.parked !== undefined,
      isCommand: isCommand(claim.prompt),
      modeChanged: this.#seen.modeChanged,
      isIdle: session.state === 'running' && (await isIdle(session)),
      isBound: isBoundToProcess(terms.options),
    });
    if (why !== undefined || !this.#context.warm.offer(claim, opened)) return false;
    this.#letGo();
    return true;
  }

  /** Opens the session of the agent; it closes when the run ends, unless the next turn may use it. */
  async #open(job: AgentJob): Promise<Session> {
    const { agent, isolate, database, limits, warm, spares, cli, onError } = this.#context;
    const { signal } = this.#ending;
    const fault = (error: unknown): void => this.#fault(error);
    const parts = {
      claim: this.claim,
      agent,
      database,
      limits,
      until: this.#until,
      calls: this.#calls,
      fault,
      warm,
      spares,
      isolate,
      cli,
      onNotice: (text: string) => this.#notice.give(text),
      onError,
    };
    const options = this.#calls.guarded('turn', () => turnOptions(this.#context.agent, job));
    const opened = await openAgent(job, { ...parts, writer: this.#writer, approvals: this.#approvals }, options);
    this.#opened = opened;
    const { session } = opened;
    this.#session = session;
    const close = (): void => void this.#parking.endSession(session);
    if (signal.aborted) close();
    else signal.addEventListener('abort', close, { once: true });
    this.#letGo = () => signal.removeEventListener('abort', close);
    await session.ready;
    signal.throwIfAborted();
    this.#cliRelease.record(session);
    return session;
  }

  /** Records that the prompt is about to be sent; false if the turn was cancelled. */
  async #markSent(sessionId: string | undefined): Promise<boolean> {
    await this.#writer.flush();
    const { database } = this.#context;
    const { sent, by, requestedAt } = await retryWhileUnavailable(
      () => markSent(database, this.claim, this.#writer.fence, sessionId ?? null),
      this.#until,
    );
    this.renewed(requestedAt);
    if (sent) this.#phase = 'sent';
    else this.#ending.record('cancelledBy', by);
    return sent;
  }

  #send(session: Session, job: AgentJob): Turn {
    const options = this.#calls.guarded('turn', () => turnOptions(this.#context.agent, job));
    const prompt = this.#notice.before(this.claim.prompt);
    const turn = this.#calls.guarded(CALLBACKS, () => session.send(prompt, options));
    this.#turn = turn;
    const { cancelledBy, draining } = this.#ending.reasons;
    if (cancelledBy !== undefined || draining) this.#interruptTurn();
    return turn;
  }

  async #storeItems(turn: Turn): Promise<void> {
    const checkLease = (): void => {
      if (this.#ending.reasons.lost !== undefined) throw new LeaseLostError(this.claim.key);
    };
    const parts = { claim: this.claim, context: this.#context, writer: this.#writer, approvals: this.#approvals };
    await storeItems(turn, { ...parts, checkLease, seen: this.#seen, unstorable: (error) => this.#endAgent(error) });
  }

  /** Ends an agent whose output is not stored any more: it may wait for an answer that nobody can give. */
  async #endAgent(error: unknown): Promise<void> {
    const session = this.#session;
    if (session && lossOf(error) !== undefined) await this.#parking.endSession(session);
    else await session?.close();
  }

  /** A CLI that resumes a call whose tool is missing ends without asking: another attempt may find it. */
  #requireTool(turn: Turn): void {
    const result = this.claim.parked && turn.results.at(-1);
    if (result && outcomeOf(result).kind === 'tool-unavailable' && !this.#isLastAttempt)
      throw new Error('The tool of the parked call is missing.');
  }

  get #isLastAttempt(): boolean {
    const { attempt, retries } = this.claim;
    return attempt - retries >= this.#context.limits.maxAttempts;
  }

  /** Stores the cost while the processes exit, so that it counts even if this worker dies before the commit. */
  #recordCost(cost: TurnCost): void {
    const { id, token } = this.claim;
    const text = 'update @.turn set cost_usd = $3, cost = $4 where id = $1 and claim = $2';
    const values = [id, token, cost.costUsd, JSON.stringify(cost)];
    this.#writer.statement(async (sql) => void (await sql.query(text, values)));
    this.#writer.flush().catch(() => {}); // The commit writes what could not be stored.
  }

  /** The end of an agent that failed, or was ended. */
  async #failed(error: unknown, job: AgentJob | undefined): Promise<AgentEnd> {
    const loss = lossOf(error);
    if (loss !== undefined) this.#ending.record('lost', loss);
    if (error instanceof QuotaReached) this.#ending.record('overQuota', true);
    const reached = this.#phase === 'finished' || this.#phase === 'sent' ? this.#phase : 'preparing';
    const { fault } = this.#ending.reasons;
    const why = fault ?? { error, result: this.#turn?.results.at(-1) };
    const cost = this.#turn && storableCost(await this.#turn.cost());
    const parkedWith = fault
      ? undefined
      : await this.#parking.approvalAfter(error, this.claim.parked, this.#ending.reasons);
    const resumesLater = !fault && !this.#isLastAttempt && this.#parking.mayResumeLater(error, this.claim.parked);
    const { acted } = this.#seen;
    return { reached, job, acted, ...why, cost, parkedWith, resumesLater: parkedWith === undefined && resumesLater };
  }

  /** The lease as this worker counts it. */
  get lease(): Lease {
    return this.#lease;
  }

  /** True if the agent's processes have exited and the turn is being stored. */
  get agentExited(): boolean {
    return hasExited(this.#phase);
  }

  /** The lease was renewed by a request sent at `requestedAt`. */
  renewed(requestedAt: number): void {
    this.#lease = renewed(this.#lease, requestedAt);
  }

  /** The conversation may belong to another worker: ends the agent. */
  lose(loss: Loss): void {
    this.#ending.now('lost', loss, new LeaseLostError(this.claim.key));
  }

  /** The process is about to exit: a finished turn is committed, and another worker decides about any other. */
  crash(): void {
    if (isUnfinished(this.#phase)) this.lose('worker');
  }

  /** Interrupts the agent; ends it if it does not stop in time. */
  cancel(by: string): void {
    this.#ending.record('cancelledBy', by);
    this.#interrupt(this.#context.limits.interruptMs);
  }

  /** The worker stops: interrupts the agent, and ends it after `graceMs`. */
  drain(graceMs: number): void {
    this.#ending.record('draining', true);
    this.#commit.drain(graceMs);
    void this.#parking.now().then((parked) => {
      if (!parked) this.#interrupt(graceMs);
    });
  }

  /** The worker is about to stop: approvals that are open, or become so, need not wait for it. */
  parkWaiting(): void {
    void this.#parking.now();
  }

  /** Passes answers to approvals on to the agent. */
  deliver(answers: readonly StoredAnswer[]): void {
    const session = this.#session;
    if (session) for (const answer of answers) this.#approvals.deliver(session, answer).catch(this.#context.onError);
  }

  /** Passes additions to the prompt on to the agent. */
  steer(steers: readonly StoredSteer[]): void {
    this.#steering.pass(steers);
  }

  /** Interrupts the agent and sets its deadline. A repeated call has no effect, unless its deadline is earlier. */
  #interrupt(graceMs: number): void {
    if (this.agentExited) return;
    if (this.#ending.within(this.#phase === 'preparing' ? 0 : graceMs)) this.#interruptTurn();
  }

  #interruptTurn(): void {
    this.#turn?.interrupt().catch(() => {}); // At the deadline, the session closes.
  }

  /** An error of an agent's function outside of any call, perhaps long after the turn. */
  #fault(error: unknown): void {
    unguarded(() => this.#context.onError(error));
    // What an agent has finished stays finished.
    if (isUnfinished(this.#phase)) this.#ending.now('fault', { error }, error);
  }

  #writeFailed(error: unknown): void {
    const isTaken = error instanceof LeaseLostError;
    if (!isTaken) this.#context.onError(error);
    this.lose(isTaken ? 'taken' : 'database');
  }

  /** Until when work on the database is repeated while it is down, by the monotonic clock. */
  readonly #until = (): number => (this.agentExited ? this.#commit.until : stopAt(this.#lease));

  async #step(step: WorkerStep): Promise<void> {
    const { id, key } = this.claim;
    await this.#context.onStep(step, { id, key });
  }
}
