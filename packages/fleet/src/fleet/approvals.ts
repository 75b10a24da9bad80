import type { PermissionDecision, PermissionRequest } from 'coxswain';
import type { Database } from '../database/database.ts';
import { aboutWorker, logEvent, notify } from '../database/log.ts';
import { ApprovalClosedError, FleetInputError, NotInFleetError } from '../errors.ts';
import { checkedId, checkedLimit, checkedWord, problemOfName } from './input.ts';

/** A permission request or a question that waits for a person, or waited. */
export interface Approval {
  readonly id: string;
  readonly key: string;
  readonly turn: string;
  readonly tenant: string;
  readonly request: PermissionRequest;
  /** `void`: the turn no longer waits for it. With an answer: that came too late to reach the agent. */
  readonly state: 'pending' | 'answered' | 'void';
  readonly answer: PermissionDecision | null;
  readonly by: string | null;
  /** In ms since the epoch. */
  readonly answeredAt: number | null;
  readonly requestedAt: number;
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

interface ApprovalRow {
  readonly id: string;
  readonly key: string;
  readonly turn: string;
  readonly tenant: string;
  readonly request: PermissionRequest;
  readonly state: Approval['state'];
  readonly answer: PermissionDecision | null;
  readonly answered_by: string | null;
  readonly answered_at: Date | null;
  readonly created_at: Date;
}

const STATES: readonly Approval['state'][] = ['pending', 'answered', 'void'];

/** The approvals, the oldest first. @throws FleetInputError */
export async function listApprovals(database: Database, filter: ApprovalFilter = {}): Promise<Approval[]> {
  const rows = await database.query<ApprovalRow>(
    `select * from @.approval where state = $1 and ($2::text is null or key = $2) and ($3::text is null or tenant = $3)
       and ($4::text is null or id = $4) order by created_at, id limit $5`,
    [
      checkedWord('state', filter.state, STATES) ?? 'pending',
      filter.key ?? null,
      filter.tenant ?? null,
      filter.id ?? null,
      checkedLimit(filter.limit),
    ],
  );
  return rows.map(({ id, key, turn, tenant, request, state, answer, answered_by, answered_at, created_at }) => ({
    id,
    key,
    turn,
    tenant,
    request,
    state,
    answer,
    by: answered_by,
    answeredAt: answered_at?.getTime() ?? null,
    requestedAt: created_at.getTime(),
  }));
}

const ANSWERS: ReadonlySet<string> = new Set(
  Object.keys({ allow: true, deny: true, stopTurn: true, answerQuestions: true } satisfies Record<
    Answer['decision'],
    true
  >),
);

type Answer = Exclude<PermissionDecision, { decision: 'decideLater' }>;

/** Answers an approval; of several answers the first counts. @throws NotInFleetError, ApprovalClosedError, FleetInputError */
export async function answerApproval(database: Database, id: string, answer: Answer, by: string): Promise<void> {
  checkedId('approval', id);
  const problem = problemOfName(by);
  if (problem !== undefined) throw new FleetInputError('by', problem);
  if (typeof answer !== 'object' || !ANSWERS.has(answer?.decision))
    throw new FleetInputError('answer', `must be allow(), deny() or another decision: ${[...ANSWERS].join(', ')}.`);
  await database.transaction(async (sql) => {
    const [won] = await sql.query<{ turn: string; key: string }>(
      `update @.approval set state = 'answered', answer = $2, answered_by = $3, answered_at = clock_timestamp()
       where id = $1 and state = 'pending' returning turn, key`,
      [id, JSON.stringify(answer), by],
    );
    if (won === undefined) {
      const [found] = await sql.query<{ state: 'answered' | 'void'; answered_by: string | null }>(
        'select state, answered_by from @.approval where id = $1',
        [id],
      );
      if (found === undefined) throw new NotInFleetError('approval', id);
      throw new ApprovalClosedError({ id, state: found.state, by: found.answered_by });
    }
    await logEvent(sql, 'approval-answered', {
      key: won.key,
      turn: won.turn,
      detail: { approval: id, decision: answer.decision, by },
    });
    const [turn] = await sql.query<{ worker: string | null }>('select worker from @.turn where id = $1', [won.turn]);
    if (turn?.worker) await notify(sql, database.schema, aboutWorker(turn.worker));
  });
}
