import type { UserContent } from 'coxswain';
import type { DatabaseHealth } from '../database/database.ts';
import { retryWhileUnavailable } from '../database/retry.ts';
import {
  DatabaseUnavailableError,
  FleetClosedError,
  FleetInputError,
  NotInFleetError,
  TurnNotEndedError,
} from '../errors.ts';
import type { TraceContext } from '../turn/tracing.ts';
import type { TurnState } from '../turn/turn-state.ts';
import { type AnswerOptions, type ApprovalAnswer, type Authorize, answerApproval } from './answer.ts';
import { type Approval, type ApprovalFilter, listApprovals } from './approvals.ts';
import { type AuditFilter, type AuditRecord, readAudit, recordSeen, type SeenOptions } from './audit.ts';
import { type CancelEffect, cancelTurn } from './cancel.ts';
import type { Connection } from './connect.ts';
import {
  type Conversation,
  type ConversationFilter,
  listConversations,
  readTranscript,
  type TranscriptEntry,
} from './conversations.ts';
import { type FleetEvent, fleetEvents } from './events.ts';
import { type FleetGroup, fleetGroup } from './group.ts';
import { type GroupFilter, type GroupInfo, listGroups } from './groups.ts';
import { checkedId, checkedName, checkedOptions, checkedWait, isStorable } from './input.ts';
import { PRUNE_OPTIONS, type PruneOptions, type PruneReport, prune } from './prune.ts';
import { listQuotas, type Quota, type Spend, setQuota, spendOf, type TenantQuota } from './quotas.ts';
import { type AgentRelease, listReleases, type Release, setRelease } from './releases.ts';
import { nextRuns, type Schedule, storeSchedule, toSchedules } from './schedules.ts';
import { type FleetStats, fleetStats, metricsText } from './stats.ts';
import { listSteers, type Steer, type SteerEffect, type SteerOptions, steerTurn } from './steer.ts';
import { type CheckedSubmission, checkSubmission, type Submission, storeSubmission } from './submit.ts';
import { checkGroup, storeGroup } from './submit-many.ts';
import { type FleetTurn, fleetTurn, listTurns, type TurnFilter, type TurnInfo } from './turns.ts';
import { listWorkers, type WorkerInfo } from './workers.ts';

/** Options of `submit` for an unreachable database. */
export interface SubmitOptions {
  /** Time to retry, with several attempts; 0 by default: one attempt. Retrying never submits a turn twice. */
  readonly waitMs?: number | undefined;
}

const SUBMIT_OPTIONS: Readonly<Record<keyof SubmitOptions, true>> = { waitMs: true };

/** Options of `submitMany`. */
export interface SubmitManyOptions extends SubmitOptions {
  /** The id of the group; its turns without an id of their own get it with a number. */
  readonly group?: string | undefined;
}

/** Options of `resend`. */
export interface ResendOptions extends SubmitOptions {
  readonly by?: string | undefined;
  /** The id of the new turn. */
  readonly id?: string | undefined;
}

/** A fleet: submits turns, follows them, answers approvals. Any number of processes may open the same one. */
export class Fleet<Data = unknown> implements AsyncDisposable {
  /** The URL for other processes of this machine, if the embedded PostgreSQL runs. */
  readonly embeddedUrl: string | undefined;
  readonly #open: Connection;
  readonly #authorize: Authorize | undefined;
  #closed: Promise<void> | undefined;

  constructor(connection: Connection, authorize?: Authorize) {
    this.#open = connection;
    this.#authorize = authorize;
    this.embeddedUrl = connection.embeddedUrl;
  }

  /** Submits a turn; it is durable when this resolves. @throws SubmissionError, FleetInputError, DatabaseUnavailableError */
  async submit(submission: Submission<Data>, options: SubmitOptions = {}): Promise<FleetTurn> {
    checkedOptions(options, SUBMIT_OPTIONS);
    return this.#submit(checkSubmission(submission), options);
  }

  /**
   * Submits up to 1,000 turns in one transaction: all are durable when this resolves, or none. With the id of a group, or ids of all turns,
   * repeating the call returns the same group. @throws SubmissionError, FleetInputError, DatabaseUnavailableError
   */
  async submitMany(submissions: readonly Submission<Data>[], options: SubmitManyOptions = {}): Promise<FleetGroup> {
    const { group } = checkedOptions(options, { ...SUBMIT_OPTIONS, group: true });
    const checked = checkGroup(submissions, group);
    const [first] = checked.turns;
    const { database, queue } = this.#connection;
    await this.#stored(
      { key: first?.key ?? '', turn: checked.id, what: `The group ${checked.id}` },
      options,
      (carrier, withinMs) =>
        storeGroup(
          database,
          queue,
          { ...checked, turns: checked.turns.map((turn) => traced(turn, carrier)) },
          withinMs,
        ),
    );
    return fleetGroup(this.#connection, checked.id);
  }

  /** A group that any process has submitted. @throws NotInFleetError */
  async group(id: string): Promise<FleetGroup> {
    const group = fleetGroup(this.#connection, checkedId('group', id));
    await group.info();
    return group;
  }

  /** Groups, the newest first. @throws FleetInputError */
  async groups(filter: GroupFilter = {}): Promise<GroupInfo[]> {
    return listGroups(this.#connection.database, filter);
  }

  /** A turn that any process has submitted. @throws NotInFleetError */
  async turn(id: string): Promise<FleetTurn> {
    const [turn] = await this.turns({ id: checkedId('turn', id) });
    if (turn === undefined) throw new NotInFleetError('turn', id);
    return fleetTurn(this.#connection, turn);
  }

  /** Turns, the newest first. `turns({ outcome: 'dead' })` lists those that no worker could start. @throws FleetInputError */
  async turns(filter: TurnFilter & { readonly id?: string } = {}): Promise<TurnInfo[]> {
    return listTurns(this.#connection.database, filter);
  }

  /**
   * Submits the prompt of an ended turn again, as a new turn at the end of its conversation. With an `id`, repeating the call returns
   * the same turn. @throws NotInFleetError, TurnNotEndedError, SubmissionError
   */
  async resend(id: string, options: ResendOptions = {}): Promise<FleetTurn> {
    checkedOptions(options, { ...SUBMIT_OPTIONS, by: true, id: true });
    const [turn] = await this.#connection.database.query<{
      key: string;
      tenant: string;
      prompt: string;
      data: string | null;
      priority: number;
      state: TurnState;
      attributes: string | null;
      maxUsd: number | null;
      retry: string | null;
    }>(
      `select key, tenant, prompt::text, data::text, priority, state, attributes::text, max_usd as "maxUsd", retry::text
       from @.turn where id = $1`,
      [checkedId('turn', id)],
    );
    if (turn === undefined) throw new NotInFleetError('turn', id);
    if (turn.state !== 'done') throw new TurnNotEndedError(id);
    const { key, tenant, priority, state: _state, ...same } = turn;
    const again = checkSubmission({ key, tenant, priority, prompt: '-', by: options.by, id: options.id });
    return this.#submit({ ...again, ...same, resendOf: id }, options);
  }

  /** Removes a waiting turn, or interrupts a running one, wherever it runs. @throws NotInFleetError, FleetInputError */
  async cancel(id: string, options: { readonly by?: string | undefined } = {}): Promise<CancelEffect> {
    const { by = 'unknown' } = checkedOptions(options, { by: true });
    return cancelTurn(this.#connection, checkedId('turn', id), checkedName('by', by));
  }

  /** Adds to the prompt of a running turn, wherever it runs; the agent reads it with its next step. @throws NotInFleetError, FleetInputError */
  async steer(id: string, content: UserContent, options: SteerOptions = {}): Promise<SteerEffect> {
    return steerTurn(this.#connection.database, id, content, options);
  }

  /** What was added to a turn, in order. @throws NotInFleetError */
  async steers(id: string): Promise<Steer[]> {
    return listSteers(this.#connection.database, id);
  }

  /** Approvals and questions, by default those that wait for an answer. @throws FleetInputError */
  async approvals(filter?: ApprovalFilter): Promise<Approval[]> {
    return listApprovals(this.#connection.database, filter);
  }

  /**
   * Answers an approval; the first answer counts, and only for what its author saw.
   * @throws NotInFleetError, ApprovalClosedError, ApprovalHashError, ApprovalForbiddenError, FleetInputError
   */
  async answer(id: string, answer: ApprovalAnswer, options: AnswerOptions): Promise<void> {
    return answerApproval(this.#connection.database, id, answer, options, this.#authorize);
  }

  /** Records in the audit that a person has seen an approval, once for each person. @throws NotInFleetError, FleetInputError */
  async seen(id: string, options: SeenOptions): Promise<void> {
    return recordSeen(this.#connection.database, id, options);
  }

  /** What happened to approvals, the oldest first; `after` continues from the `n` of a record. @throws FleetInputError */
  async audit(filter?: AuditFilter): Promise<AuditRecord[]> {
    return readAudit(this.#connection.database, filter);
  }

  /** Conversations, the newest first. @throws FleetInputError */
  async conversations(filter?: ConversationFilter): Promise<Conversation[]> {
    return listConversations(this.#connection.database, filter);
  }

  /** The transcript of a conversation, as the CLI wrote it. @throws NotInFleetError, FleetInputError */
  async transcript(key: string, options: { readonly subpath?: string | undefined } = {}): Promise<TranscriptEntry[]> {
    const { subpath } = checkedOptions(options, { subpath: true });
    return readTranscript(this.#connection.database, key, subpath);
  }

  /** The events of the fleet, live; `after` continues from the cursor of an event. @throws FleetInputError */
  events(
    options: { readonly after?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<FleetEvent, void, undefined> {
    return fleetEvents(this.#connection, options);
  }

  /** Counts of waiting, running and ended turns, the workers, and the quotas and pauses that hold turns back. */
  async stats(): Promise<FleetStats> {
    return fleetStats(this.#connection);
  }

  /** `stats()` in the text format of Prometheus. */
  async metrics(): Promise<string> {
    return metricsText(await this.stats());
  }

  /** Queries the database and returns whether it answers. Never rejects. */
  async health(): Promise<DatabaseHealth> {
    await this.#connection.database.query('select 1').catch(() => {});
    return this.#connection.database.health;
  }

  /** Sets all limits of a tenant: one that is missing is removed; `null` removes the quota. @throws FleetInputError */
  async setQuota(tenant: string, quota: Quota | null): Promise<void> {
    return setQuota(this.#connection.database, tenant, quota);
  }

  /** All quotas, by tenant. */
  async quotas(): Promise<TenantQuota[]> {
    return listQuotas(this.#connection.database);
  }

  /** Sets which share of an agent's conversations runs on a release of it; `null` ends this, and any worker may run them. @throws FleetInputError */
  async setRelease(agent: string, release: Release | null): Promise<void> {
    return setRelease(this.#connection.database, agent, release);
  }

  /** All staged releases, by agent. */
  async releases(): Promise<AgentRelease[]> {
    return listReleases(this.#connection.database);
  }

  /** The workers, with their agents, versions and releases of the CLI; the oldest first. */
  async workers(): Promise<WorkerInfo[]> {
    const { database, limits } = this.#connection;
    return listWorkers(database, limits);
  }

  /** The spending of tenants by day (UTC), the newest first; the last 31 days by default. @throws FleetInputError */
  async spend(
    filter: { readonly tenant?: string | undefined; readonly days?: number | undefined } = {},
  ): Promise<Spend[]> {
    return spendOf(this.#connection.database, checkedOptions(filter, { tenant: true, days: true }, 'filter'));
  }

  /** Submits a turn repeatedly, from the next time of `cron` on. @throws SubmissionError */
  async schedule(schedule: Schedule): Promise<void> {
    const { database, queue } = this.#connection;
    await storeSchedule(database, queue, schedule);
  }

  /** The next times of a schedule, by the clock of this machine. @throws SubmissionError, FleetInputError */
  async nextRuns(schedule: Pick<Schedule, 'cron' | 'timeZone'>, count = 1): Promise<Date[]> {
    return nextRuns(this.#connection.queue, schedule, count);
  }

  /** Ends a schedule; a schedule that does not exist is not an error. @throws FleetInputError */
  async unschedule(name: string): Promise<void> {
    await this.#connection.queue.unschedule(checkedName('name', name));
  }

  /** All schedules, as they were set. */
  async schedules(): Promise<Schedule[]> {
    return toSchedules(await this.#connection.queue.schedules());
  }

  /** Pauses all turns of a credential until then, as a rate limit does; `null` ends the pause. @throws FleetInputError */
  async pause(until: Date | null, options: { readonly credential?: string | undefined } = {}): Promise<void> {
    const { credential = 'default' } = checkedOptions(options, { credential: true });
    const { database } = this.#connection;
    checkedName('credential', credential);
    if (until !== null && !isStorable(until))
      throw new FleetInputError('until', 'must be a valid date before the year 10000, or null.');
    if (until === null) await database.query('delete from @.pause where credential = $1', [credential]);
    else {
      await database.query(
        `insert into @.pause (credential, reason, until) values ($1, 'manual', $2)
         on conflict (credential) do update set until = excluded.until, reason = excluded.reason, probe = null, probe_until = null`,
        [credential, until],
      );
    }
  }

  /** Removes only what is older than the given dates or ages. @throws FleetInputError */
  async prune(options: PruneOptions): Promise<PruneReport> {
    return prune(this.#connection.database, checkedOptions(options, PRUNE_OPTIONS));
  }

  /** Closes the connections. Turns and workers are not affected, unless this process runs the embedded PostgreSQL. */
  close(): Promise<void> {
    this.#closed ??= this.#open.close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #connection(): Connection {
    if (this.#closed !== undefined) throw new FleetClosedError('The call failed');
    return this.#open;
  }

  async #submit(turn: CheckedSubmission, options: SubmitOptions): Promise<FleetTurn> {
    const { database, queue } = this.#connection;
    await this.#stored({ key: turn.key, turn: turn.id, what: `The turn ${turn.id}` }, options, (carrier, withinMs) =>
      storeSubmission(database, queue, traced(turn, carrier), withinMs),
    );
    return fleetTurn(this.#connection, turn);
  }

  /** Repeats a submission until it is stored. Its ids are fixed, so that it finds what was stored if the first response was lost. */
  async #stored(
    { key, turn, what }: { readonly key: string; readonly turn: string; readonly what: string },
    { waitMs = 0 }: SubmitOptions,
    store: (carrier: TraceContext, withinMs: number | undefined) => Promise<boolean>,
  ): Promise<void> {
    const deadline = performance.now() + checkedWait('waitMs', waitMs);
    let attempts = 0;
    const withinMs = (): number | undefined => {
      attempts += 1;
      return waitMs === 0 ? undefined : attemptMs(waitMs, attempts);
    };
    try {
      await this.#connection.tracing.submit({ key, turn }, (carrier) =>
        retryWhileUnavailable(
          () => store(carrier, withinMs()),
          () => deadline,
        ),
      );
    } catch (error) {
      if (error instanceof DatabaseUnavailableError)
        throw new DatabaseUnavailableError(`${what} may not have been submitted`, error.reason, error.detail);
      throw error;
    }
  }
}

/** The turn with the trace context of the process, unless the caller gave one. */
function traced(turn: CheckedSubmission, { traceparent, tracestate }: TraceContext): CheckedSubmission {
  return turn.traceparent ? turn : { ...turn, traceparent: traceparent ?? null, tracestate: tracestate ?? null };
}

/**
 * Time limit of one of several attempts: short, so that a hanging connection does not use up the whole time, and longer with each attempt,
 * for a slow database.
 */
function attemptMs(waitMs: number, attempt: number): number {
  return Math.min(30_000, Math.min(5_000, Math.max(250, waitMs / 4)) * 2 ** (attempt - 1));
}
