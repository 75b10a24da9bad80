import type { UserContent } from 'coxswain';
import type { Database } from '../database/database.ts';
import { aboutConversation } from '../database/log.ts';
import { NotInFleetError } from '../errors.ts';
import { type EndedTurn, OUTCOME_KINDS, type TurnOutcome } from '../turn/outcome.ts';
import { type CostColumns, totalCost, totalUsd } from '../turn/total-cost.ts';
import { TURN_STATES, type TurnState } from '../turn/turn-state.ts';
import { type Attributes, checkedAttributes } from './attributes.ts';
import type { Connection } from './connect.ts';
import { type FollowItem, type FollowOptions, follow, Watch } from './follow.ts';
import { checkedFilter, checkedLimit, checkedOptions, checkedWord } from './input.ts';
import { retryUntilAborted } from './retry-until-aborted.ts';

/** A turn, as stored in the database. */
export interface TurnInfo {
  readonly id: string;
  readonly key: string;
  /** Its place in the conversation, counted from 1. */
  readonly seq: number;
  readonly tenant: string;
  readonly state: TurnState;
  readonly prompt: UserContent;
  readonly attempt: number;
  readonly worker: string | null;
  /** The name of its agent. */
  readonly agent: string;
  /** The version of the agent that runs it, or ran it last; null if it has none. */
  readonly agentVersion: string | null;
  /** The release of the CLI that runs it, or ran it last. */
  readonly cli: string | null;
  /** Since when it is parked; null in every other state. */
  readonly parkedAt: number | null;
  /** The approval that a parked turn waits for; null in every other state. */
  readonly approval: string | null;
  readonly outcome: TurnOutcome | null;
  /** What it has cost until it ended, or was parked. */
  readonly costUsd: number;
  readonly cancelledBy: string | null;
  readonly resendOf: string | null;
  /** The group with which it was submitted. */
  readonly group: string | null;
  /** What it was submitted with, for filters. */
  readonly attributes: Attributes;
  /** The number of attempts that were repeated by a policy; `attempt` includes them. */
  readonly retries: number;
  /** When its next attempt begins, in ms since the epoch; null unless it waits for that. */
  readonly retryAt: number | null;
  /** The most that it may cost while it runs, as reserved from the daily limit of its tenant; null without either. */
  readonly reservedUsd: number | null;
  readonly submittedBy: string | null;
  /** In ms since the epoch, as the others. */
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/** Which turns to list. */
export interface TurnFilter {
  readonly key?: string | undefined;
  readonly tenant?: string | undefined;
  readonly agent?: string | undefined;
  readonly state?: TurnState | undefined;
  /** The kind of the outcome: `dead`, `interrupted`, `failed`, … */
  readonly outcome?: string | undefined;
  /** Only turns of this group. */
  readonly group?: string | undefined;
  /** Only turns that have all of these. */
  readonly attributes?: Attributes | undefined;
  /** 100 by default. */
  readonly limit?: number | undefined;
}

/** The handle of a submitted turn. */
export interface FleetTurn {
  readonly id: string;
  readonly key: string;
  /**
   * Every item of the turn in order, live or afterwards, after any `seq`; ends with the outcome. A slow reader uses bounded memory. @throws NotInFleetError, FleetInputError
   */
  follow(options?: FollowOptions): AsyncGenerator<FollowItem, void, undefined>;
  /** Waits for the outcome. @throws NotInFleetError, the reason of the signal */
  outcome(options?: { readonly signal?: AbortSignal | undefined }): Promise<EndedTurn>;
  /** The current state of the turn. @throws NotInFleetError */
  info(): Promise<TurnInfo>;
}

/** Creates the handle of a turn. */
export function fleetTurn(connection: Connection, turn: { readonly id: string; readonly key: string }): FleetTurn {
  const { database } = connection;
  return {
    ...turn,
    follow: (options) => follow(connection, turn, options),
    outcome: async (options = {}) => outcomeOf(connection, turn, checkedOptions(options, { signal: true }).signal),
    info: async () => {
      const [found] = await listTurns(database, { id: turn.id });
      if (found === undefined) throw new NotInFleetError('turn', turn.id);
      return found;
    },
  };
}

interface TurnRow
  extends CostColumns,
    Pick<
      TurnInfo,
      'id' | 'key' | 'seq' | 'tenant' | 'state' | 'prompt' | 'attempt' | 'worker' | 'agent' | 'cli' | 'outcome'
    > {
  readonly agent_version: string | null;
  readonly cancelled_by: string | null;
  readonly resend_of: string | null;
  readonly submitted_by: string | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly parked_at: Date | null;
  readonly approval: string | null;
  readonly ended_at: Date | null;
  readonly group_id: string | null;
  readonly attributes: Attributes | null;
  readonly retries: number;
  readonly start_after: Date;
  readonly budget_usd: number | null;
}

const FILTER: Readonly<Record<keyof TurnFilter | 'id', true>> = {
  id: true,
  key: true,
  tenant: true,
  agent: true,
  state: true,
  outcome: true,
  group: true,
  attributes: true,
  limit: true,
};

/** Turns, the newest first. @throws FleetInputError */
export async function listTurns(
  database: Database,
  filter: TurnFilter & { readonly id?: string },
): Promise<TurnInfo[]> {
  checkedOptions(filter, FILTER, 'filter');
  const rows = await database.query<TurnRow>(
    `select * from @.turn where ($1::text is null or id = $1) and ($2::text is null or key = $2) and ($3::text is null or tenant = $3)
       and ($4::text is null or state = $4) and ($5::text is null or outcome_kind = $5)
       and ($7::jsonb is null or attributes @> $7) and ($8::text is null or group_id = $8) and ($9::text is null or agent = $9)
     order by created_at desc, seq desc limit $6`,
    [
      checkedFilter('id', filter.id),
      checkedFilter('key', filter.key),
      checkedFilter('tenant', filter.tenant),
      checkedWord('state', filter.state, TURN_STATES),
      checkedWord('outcome', filter.outcome, OUTCOME_KINDS),
      checkedLimit(filter.limit),
      checkedAttributes(filter.attributes),
      checkedFilter('group', filter.group),
      checkedFilter('agent', filter.agent),
    ],
  );
  return rows.map((row) => ({
    id: row.id,
    key: row.key,
    seq: row.seq,
    tenant: row.tenant,
    state: row.state,
    prompt: row.prompt,
    attempt: row.attempt,
    worker: row.worker,
    agent: row.agent,
    agentVersion: row.agent_version,
    cli: row.cli,
    // The columns keep their values while a worker resumes the turn.
    parkedAt: row.state === 'parked' ? (row.parked_at?.getTime() ?? null) : null,
    approval: row.state === 'parked' ? row.approval : null,
    outcome: row.outcome,
    costUsd: totalUsd(row),
    cancelledBy: row.cancelled_by,
    resendOf: row.resend_of,
    group: row.group_id,
    attributes: row.attributes ?? {},
    retries: row.retries,
    retryAt: row.state === 'waiting' && row.retries > 0 ? row.start_after.getTime() : null,
    reservedUsd: row.state === 'claimed' || row.state === 'sent' ? row.budget_usd : null,
    submittedBy: row.submitted_by,
    createdAt: row.created_at.getTime(),
    startedAt: row.started_at?.getTime() ?? null,
    endedAt: row.ended_at?.getTime() ?? null,
  }));
}

async function outcomeOf(
  { database, hub, limits }: Connection,
  { id, key }: { readonly id: string; readonly key: string },
  signal: AbortSignal | undefined,
): Promise<EndedTurn> {
  const watch = new Watch(database, 'conversation', key);
  for (;;) {
    signal?.throwIfAborted();
    await retryUntilAborted(() => watch.renew(), signal);
    const looked = new AbortController();
    const woken = hub.wait(
      aboutConversation(key),
      watch.pollMs(hub, limits),
      signal ? AbortSignal.any([signal, looked.signal]) : looked.signal,
    );
    const [turn] = await retryUntilAborted(
      () =>
        database.query<CostColumns & { readonly outcome: TurnOutcome | null }>(
          'select outcome, cost_usd, cost, earlier_cost from @.turn where id = $1',
          [id],
        ),
      signal,
    );
    if (turn === undefined || turn.outcome !== null) looked.abort();
    if (turn === undefined) throw new NotInFleetError('turn', id);
    if (turn.outcome !== null) return { id, outcome: turn.outcome, costUsd: totalUsd(turn), cost: totalCost(turn) };
    await woken;
  }
}
