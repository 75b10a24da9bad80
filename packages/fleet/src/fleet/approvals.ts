import { type PermissionDecision, type PermissionRequest, requestHash } from 'coxswain';
import { stageAt, storedStages } from '../approval/terms.ts';
import type { Database } from '../database/database.ts';
import { checkedFilter, checkedLimit, checkedOptions, checkedWord } from './input.ts';

/** A permission request or a question for a person. */
export interface Approval {
  readonly id: string;
  readonly key: string;
  readonly turn: string;
  readonly tenant: string;
  readonly request: PermissionRequest;
  /** The hash of what is asked, for `answer()`; see `requestHash()` of `coxswain`. */
  readonly hash: string;
  /** The groups whose members may answer now; null: everybody who can answer approvals. */
  readonly groups: readonly string[] | null;
  /** When the time of these groups is over, in ms since the epoch; null if it is not limited. */
  readonly expiresAt: number | null;
  /** What happens then; null if the time is not limited. */
  readonly onExpiry: 'deny' | 'escalate' | null;
  /** How often the time of a group was over, and another group took its place. */
  readonly escalations: number;
  /**
   * `expired`: nobody answered in time, so it was denied. `void`: the turn no longer waits for it. If it has an answer, that was too
   * late to reach the agent.
   */
  readonly state: 'pending' | 'answered' | 'expired' | 'void';
  readonly answer: PermissionDecision | null;
  readonly by: string | null;
  /** In ms since the epoch. */
  readonly answeredAt: number | null;
  readonly requestedAt: number;
  /** Since when its turn is parked: no process waits for the answer. Null while a worker holds the turn, and after its end. */
  readonly parkedAt: number | null;
}

/** Which approvals to list. */
export interface ApprovalFilter {
  readonly id?: string | undefined;
  /** `pending` by default. */
  readonly state?: Approval['state'] | undefined;
  readonly key?: string | undefined;
  readonly tenant?: string | undefined;
  /** 100 by default. */
  readonly limit?: number | undefined;
}

/** A row of the table, at the time `now` of the database. */
export interface ApprovalRow {
  readonly id: string;
  readonly key: string;
  readonly turn: string;
  readonly tenant: string;
  readonly request: PermissionRequest;
  /** Null in rows of older releases. */
  readonly hash: string | null;
  /** Null in rows of older releases; anything in one that was changed. */
  readonly stages: unknown;
  readonly expires_at: Date | null;
  readonly state: Approval['state'];
  readonly answer: PermissionDecision | null;
  readonly answered_by: string | null;
  readonly answered_at: Date | null;
  readonly created_at: Date;
  readonly parked_at: Date | null;
  readonly now: Date;
}

const STATES: readonly Approval['state'][] = ['pending', 'answered', 'expired', 'void'];

const FILTER: Readonly<Record<keyof ApprovalFilter, true>> = {
  id: true,
  state: true,
  key: true,
  tenant: true,
  limit: true,
};

/** Reads rows; conditions follow. */
export const SELECT_APPROVAL = `select *, clock_timestamp() as now,
    (select parked_at from @.turn where turn.id = approval.turn and turn.state = 'parked' and turn.approval = approval.id) as parked_at
  from @.approval`;

/** The clock decides when an approval has expired, also while no worker runs that could record it. */
const IN_STATE: Readonly<Record<Approval['state'], string>> = {
  pending: `state = 'pending' and (expires_at is null or expires_at > clock_timestamp())`,
  answered: `state = 'answered'`,
  expired: `(state = 'expired' or (state = 'pending' and expires_at <= clock_timestamp()))`,
  void: `state = 'void'`,
};

/** Approvals, the oldest first. @throws FleetInputError */
export async function listApprovals(database: Database, filter: ApprovalFilter = {}): Promise<Approval[]> {
  checkedOptions(filter, FILTER, 'filter');
  const state = checkedWord('state', filter.state, STATES) ?? 'pending';
  const rows = await database.query<ApprovalRow>(
    `${SELECT_APPROVAL} where ${IN_STATE[state]} and ($1::text is null or key = $1) and ($2::text is null or tenant = $2)
       and ($3::text is null or id = $3) order by created_at, id limit $4`,
    [
      checkedFilter('key', filter.key),
      checkedFilter('tenant', filter.tenant),
      checkedFilter('id', filter.id),
      checkedLimit(filter.limit),
    ],
  );
  return rows.map(approvalOf);
}

/** Converts a row. A row that is pending again still has the answer that did not fit; the next one replaces it. */
export function approvalOf(row: ApprovalRow): Approval {
  const { id, key, turn, tenant, request, created_at, answered_at } = row;
  const stages = storedStages(row.stages);
  const requestedAt = created_at.getTime();
  const isAnswered = row.state === 'answered' || row.state === 'void';
  const at = (isAnswered ? answered_at : null) ?? row.now;
  const last = stages.length - 1;
  const current = stageAt(stages, at.getTime() - requestedAt);
  const stage = current ?? { groups: null, untilMs: null, ...stages[last], n: last };
  const isOver = row.state === 'pending' && (current === undefined || isOverdue(row));
  const state = isOver ? 'expired' : row.state;
  return {
    id,
    key,
    turn,
    tenant,
    request,
    hash: row.hash ?? requestHash(request),
    groups: stage.groups,
    expiresAt: stage.untilMs === null ? null : requestedAt + stage.untilMs,
    onExpiry: stage.untilMs === null ? null : stage.n < last ? 'escalate' : 'deny',
    escalations: stage.n,
    state,
    answer: isAnswered ? row.answer : null,
    by: isAnswered ? row.answered_by : null,
    answeredAt: isAnswered ? (answered_at?.getTime() ?? null) : null,
    requestedAt,
    parkedAt: row.parked_at?.getTime() ?? null,
  };
}

function isOverdue({ expires_at, now }: ApprovalRow): boolean {
  return expires_at !== null && expires_at <= now;
}
