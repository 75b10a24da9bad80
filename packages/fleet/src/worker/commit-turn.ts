import type { ResultMessage, TurnCost } from 'coxswain';
import type { AgentJob, SavedOutcome } from '../agent/define-agent.ts';
import { AgentFunctionError } from '../errors.ts';
import { outcomeOfEnd, type TurnOutcome } from '../turn/outcome.ts';
import type { AgentCalls } from './agent-calls.ts';
import type { Claim } from './claim.ts';
import { Deadline } from './deadline.ts';
import type { EndReasons } from './ending.ts';
import { nextAttemptMs } from './next-attempt.ts';
import { parkTurn } from './park-turn.ts';
import { type RetriedWrite, retryTurn } from './retry-turn.ts';
import type { RunContext } from './run-context.ts';
import type { AgentPhase } from './run-phase.ts';
import type { FinalWrite, TurnWriter } from './writer.ts';

/** Time for the commit after the agent's deadline, if the worker drains while the database is down. Otherwise there is no limit. */
const COMMIT_DRAINING_MS = 20_000;

/** Time for `workspace.save()` if the worker drains, from its call on: the agent may have ended late, for example because the database was down. */
const SAVE_DRAINING_MS = 5_000;

/** How the agent ended. */
export interface AgentEnd {
  readonly reached: AgentPhase;
  /** Undefined if the job's data was refused, or nothing was called. */
  readonly job: AgentJob | undefined;
  /** True if a tool was called, or may have been. */
  readonly acted: boolean;
  readonly result?: ResultMessage | undefined;
  readonly error?: unknown;
  readonly cost?: TurnCost | undefined;
  /** The approval with which the turn continues on another worker. */
  readonly parkedWith?: string | undefined;
  /** True if the agent could not be resumed, and another attempt may succeed later. */
  readonly resumesLater?: boolean | undefined;
}

/** The last step of a run: saves the agent's files, then commits the outcome. Both have deadlines while the worker drains. */
export class TurnCommit {
  readonly #claim: Claim;
  readonly #context: RunContext;
  readonly #writer: TurnWriter;
  readonly #calls: AgentCalls;
  readonly #saving = new AbortController();
  readonly #saveDeadline = new Deadline(() =>
    this.#saving.abort(new AgentFunctionError('workspace.save', 'did not return before the worker had to stop.')),
  );
  #isSaving = false;
  #until = Number.POSITIVE_INFINITY;

  constructor(claim: Claim, context: RunContext, writer: TurnWriter, calls: AgentCalls) {
    this.#claim = claim;
    this.#context = context;
    this.#writer = writer;
    this.#calls = calls;
  }

  /** Until when the commit is repeated while the database is down, by the monotonic clock. */
  get until(): number {
    return this.#until;
  }

  /** The worker drains: the agent ends within `graceMs`. */
  drain(graceMs: number): void {
    this.#until = Math.min(this.#until, performance.now() + graceMs + COMMIT_DRAINING_MS);
    if (this.#isSaving) this.#saveDeadline.within(graceMs + SAVE_DRAINING_MS);
  }

  /**
   * Returns the outcome that was stored; null if the turn gets another attempt instead. `unsaved`: why its files could not be saved.
   * @throws LeaseLostError
   */
  async store(
    end: AgentEnd,
    reasons: EndReasons,
    sessionId: string | undefined,
    unsaved?: TurnOutcome,
  ): Promise<TurnOutcome | null> {
    const { onStep, queue, redact } = this.#context;
    const { id, key } = this.#claim;
    const saved = unsaved ?? (await this.#save(end, this.#outcomeFor(end, reasons)));
    const outcome = saved.kind === 'failed' ? redact(saved) : saved;
    const afterMs = nextAttemptMs(this.#claim, this.#context, { outcome, reasons, acted: end.acted });
    if (afterMs !== undefined) return this.#retry(end, { outcome, sessionId, cost: end.cost, afterMs });
    const stored = await this.#writer.commit(queue, this.#final(end, outcome, sessionId));
    await onStep('committed', { id, key });
    return stored;
  }

  /** Saves the agent's files, and parks the turn. Returns its outcome if that fails, or if the database refuses the output. @throws LeaseLostError */
  async park(
    end: AgentEnd,
    approval: string,
    reasons: EndReasons,
    sessionId: string | undefined,
  ): Promise<TurnOutcome | null> {
    const saved = await this.#save(end, { kind: 'parked', message: 'The turn waits for an approval.' });
    if (saved.kind !== 'parked') return this.store(end, reasons, sessionId, saved);
    const { queue, onStep } = this.#context;
    const { id, key } = this.#claim;
    try {
      await parkTurn(this.#claim, this.#context, this.#writer, { approval, sessionId, cost: end.cost });
    } catch (error) {
      return this.#writer.commitRefused(queue, this.#final(end, this.#outcomeFor(end, reasons), sessionId), error);
    }
    await onStep('parked', { id, key });
    return null;
  }

  /** Leaves the turn to its next attempt. Returns its outcome if the database refuses the output. @throws LeaseLostError */
  async #retry(end: AgentEnd, write: RetriedWrite): Promise<TurnOutcome | null> {
    const { queue, onStep } = this.#context;
    const { id, key } = this.#claim;
    try {
      await retryTurn(this.#claim, this.#context, this.#writer, write);
    } catch (error) {
      return this.#writer.commitRefused(queue, this.#final(end, write.outcome, write.sessionId), error);
    }
    await onStep('retried', { id, key });
    return null;
  }

  #final(end: AgentEnd, outcome: TurnOutcome, sessionId: string | undefined): FinalWrite {
    const { credential, onError, onStep, warm } = this.#context;
    const { id, key } = this.#claim;
    const hint = warm.settle(this.#claim);
    let reached = false;
    const beforeCommit = async (): Promise<void> => {
      // Only for the first attempt: a slow step could fail each of them.
      if (reached) return;
      reached = true;
      await onStep('committing', { id, key });
    };
    const kept = outcome.kind === 'completed' ? hint : undefined;
    return { outcome, cost: end.cost, sessionId, credential, warm: kept, beforeCommit, onRefused: onError };
  }

  #outcomeFor({ reached, result, error }: AgentEnd, { lost, cancelledBy, draining }: EndReasons): TurnOutcome {
    const database = lost === 'database' && reached !== 'finished';
    // By this attempt, or an earlier one.
    const sent = reached !== 'preparing' || (cancelledBy !== undefined && this.#claim.retries > 0);
    return outcomeOfEnd({ sent, result, error, cancelledBy, draining, database });
  }

  clear(): void {
    this.#saveDeadline.clear();
  }

  /** Saves the agent's files if its prompt was sent; a failure is the outcome. */
  async #save<O extends SavedOutcome>({ reached, job }: AgentEnd, outcome: O): Promise<O | TurnOutcome> {
    const { workspace } = this.#context.agent;
    if (job === undefined || reached === 'preparing' || workspace?.save === undefined) return outcome;
    this.#isSaving = true;
    if (this.#until !== Number.POSITIVE_INFINITY) this.#saveDeadline.within(SAVE_DRAINING_MS);
    try {
      await this.#calls.call('workspace.save', async () => workspace.save?.(job, outcome), this.#saving.signal);
      return outcome;
    } catch (error) {
      return outcomeOfEnd({ sent: true, error });
    }
  }
}
