import { isObject } from '@coxswain/shared/is-object';
import { checkAnswer, isCoxswainError, type PermissionDecision, type PermissionRequest } from 'coxswain';
import type { Database } from '../database/database.ts';
import { aboutWorker, logEvent, notify } from '../database/log.ts';
import { ApprovalClosedError, FleetInputError, NotInFleetError } from '../errors.ts';
import { asJson, checkedFilter, checkedId, checkedLimit, checkedName, checkedOptions, checkedWord } from './input.ts';

/** A permission request or a question for a person. */
export interface Approval {
  readonly id: string;
  readonly key: string;
  readonly turn: string;
  readonly tenant: string;
  readonly request: PermissionRequest;
  /** `void`: the turn no longer waits for it. If it has an answer, that was too late to reach the agent. */
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

const FILTER: Readonly<Record<keyof ApprovalFilter, true>> = {
  id: true,
  state: true,
  key: true,
  tenant: true,
  limit: true,
};

/** Approvals, the oldest first. @throws FleetInputError */
export async function listApprovals(database: Database, filter: ApprovalFilter = {}): Promise<Approval[]> {
  checkedOptions(filter, FILTER, 'filter');
  const rows = await database.query<ApprovalRow>(
    `select * from @.approval where state = $1 and ($2::text is null or key = $2) and ($3::text is null or tenant = $3)
       and ($4::text is null or id = $4) order by created_at, id limit $5`,
    [
      checkedWord('state', filter.state, STATES) ?? 'pending',
      checkedFilter('key', filter.key),
      checkedFilter('tenant', filter.tenant),
      checkedFilter('id', filter.id),
      checkedLimit(filter.limit),
    ],
  );
  return rows.map(approvalOf);
}

/** Converts a row. A row that is pending again still has the answer that did not fit; the next one replaces it. */
function approvalOf(row: ApprovalRow): Approval {
  const { id, key, turn, tenant, request, state, created_at } = row;
  const isOpen = state === 'pending';
  return {
    id,
    key,
    turn,
    tenant,
    request,
    state,
    answer: isOpen ? null : row.answer,
    by: isOpen ? null : row.answered_by,
    answeredAt: isOpen ? null : (row.answered_at?.getTime() ?? null),
    requestedAt: created_at.getTime(),
  };
}

type Answer = Exclude<PermissionDecision, { decision: 'decideLater' }>;

/** Answers an approval; the first answer counts. @throws NotInFleetError, ApprovalClosedError, FleetInputError */
export async function answerApproval(database: Database, id: string, answer: Answer, by: string): Promise<void> {
  checkedId('approval', id);
  checkedName('by', by);
  const stored = checkedAnswer(answer);
  await database.transaction(async (sql) => {
    const [won] = await sql.query<{ turn: string; key: string; request: PermissionRequest }>(
      `update @.approval set state = 'answered', answer = $2, answered_by = $3, answered_at = clock_timestamp()
       where id = $1 and state = 'pending' returning turn, key, request`,
      [id, stored, by],
    );
    if (won === undefined) {
      const [found] = await sql.query<{ state: 'answered' | 'void'; answered_by: string | null }>(
        'select state, answered_by from @.approval where id = $1',
        [id],
      );
      if (found === undefined) throw new NotInFleetError('approval', id);
      throw new ApprovalClosedError({ id, state: found.state, by: found.answered_by });
    }
    // Rolls back: the approval waits for another answer.
    const problem = problemFor(won.request, answer);
    if (problem !== undefined) throw new FleetInputError('answer', problem);
    await logEvent(sql, 'approval-answered', {
      key: won.key,
      turn: won.turn,
      detail: { approval: id, decision: answer.decision, by },
    });
    const [turn] = await sql.query<{ worker: string | null }>('select worker from @.turn where id = $1', [won.turn]);
    if (turn?.worker) await notify(sql, database.schema, aboutWorker(turn.worker));
  });
}

/** Checks an answer and returns it as JSON. An invalid one would close the approval and leave the turn waiting. @throws FleetInputError */
function checkedAnswer(answer: Answer): string {
  const text = asJson(answer) ?? 'null';
  const problem = problemOfAnswer(JSON.parse(text));
  if (problem !== undefined) throw new FleetInputError('answer', problem);
  return text;
}

function problemOfAnswer(answer: unknown): string | undefined {
  const { decision, updatedInput = {}, updatedPermissions = [], reason, answers } = isObject(answer) ? answer : {};
  switch (decision) {
    case 'allow':
      if (!isObject(updatedInput)) return 'must have an object as updatedInput.';
      return Array.isArray(updatedPermissions) ? undefined : 'must have an array as updatedPermissions.';
    case 'deny':
    case 'stopTurn':
      return typeof reason === 'string' ? undefined : 'must have a string as reason.';
    case 'answerQuestions':
      if (isObject(answers) && Object.values(answers).flat().every(isText)) return undefined;
      return 'must map the text of each question to a string or a list of strings.';
    default:
      return 'must be what allow(), deny(), stopTurn() or answerQuestions() returns, or the same as JSON.';
  }
}

/** The options of the agent decide whether an answer may change permissions; its worker checks that. */
const TERMS = { allowPermissionUpdates: true, allowDangerouslySkipPermissions: true };

/** Why an answer does not fit its request; undefined if it does. */
function problemFor(request: PermissionRequest, answer: unknown): string | undefined {
  try {
    checkAnswer(answer, request, TERMS);
    return undefined;
  } catch (error) {
    if (isCoxswainError(error, 'options')) return `cannot be used: ${error.problems[0]?.message}.`;
    throw error;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
