import { isObject } from '@coxswain/shared/is-object';
import { checkAnswer, isCoxswainError, type PermissionDecision, type PermissionRequest, requestHash } from 'coxswain';
import { recordAudit } from '../approval/audit.ts';
import { isHash } from '../approval/hash.ts';
import type { Database } from '../database/database.ts';
import { aboutWorker, JOBS, logEvent, notify } from '../database/log.ts';
import {
  ApprovalClosedError,
  ApprovalForbiddenError,
  ApprovalHashError,
  FleetInputError,
  NotInFleetError,
} from '../errors.ts';
import { type Approval, type ApprovalRow, approvalOf, SELECT_APPROVAL } from './approvals.ts';
import {
  asJson,
  checkedFilter,
  checkedId,
  checkedName,
  checkedNames,
  checkedOptions,
  MAX_JSON_BYTES,
} from './input.ts';

/** An answer of a person. */
export type ApprovalAnswer = Exclude<PermissionDecision, { decision: 'decideLater' }>;

/** Who looks at an approval or answers it, as the calling process has authenticated them. */
export interface ApprovalCaller {
  readonly by: string;
  /** The groups that the caller belongs to. */
  readonly groups: readonly string[];
  /** Where the answer comes from, for the audit: an address, the name of a page. */
  readonly from: string | null;
}

/** Options of `answer()`. */
export interface AnswerOptions {
  /** Who answers. */
  readonly by: string;
  /** `Approval.hash` of what was shown to them: nobody approves what they did not see. */
  readonly hash: string;
  /** The groups that they belong to. An approval with groups accepts an answer only from one of them. */
  readonly groups?: readonly string[] | undefined;
  /** Where the answer comes from, for the audit. */
  readonly from?: string | undefined;
}

/**
 * Decides whether a caller may answer an approval, instead of the comparison of their groups. Anything but `true` refuses, and a string
 * is the reason. If it rejects, so does `answer()`.
 */
export type Authorize = (
  caller: ApprovalCaller,
  approval: Approval,
  answer: ApprovalAnswer,
) => boolean | string | Promise<boolean | string>;

const OPTIONS: Readonly<Record<keyof AnswerOptions, true>> = { by: true, hash: true, groups: true, from: true };

/**
 * Answers an approval; the first answer counts.
 * @throws NotInFleetError, ApprovalClosedError, ApprovalHashError, ApprovalForbiddenError, FleetInputError
 */
export async function answerApproval(
  database: Database,
  id: string,
  given: ApprovalAnswer,
  options: AnswerOptions,
  authorize: Authorize = isMember,
): Promise<void> {
  checkedId('approval', id);
  const { hash } = checkedOptions(options, OPTIONS);
  const caller: ApprovalCaller = {
    by: checkedName('by', options.by),
    groups: checkedNames('groups', options.groups ?? []),
    from: checkedFilter('from', options.from),
  };
  if (!isHash(hash))
    throw new FleetInputError('hash', 'must be the hash of the approval that was shown to the caller.');
  const stored = checkedAnswer(given);
  const { decision } = answerIn(stored);
  for (;;) {
    const [row] = await database.query<ApprovalRow>(`${SELECT_APPROVAL} where id = $1`, [id]);
    if (row === undefined) throw new NotInFleetError('approval', id);
    const approval = approvalOf(row);
    const refusal = await refusalOf({ approval, stored, hash, caller, authorize });
    if (refusal !== undefined) {
      const detail = { why: refusal.code, decision, given: hash };
      await recordAudit(database, approval, { kind: 'refused', by: caller.by, from: caller.from, detail });
      throw refusal;
    }
    // The approval waits for another answer.
    const problem = problemFor(approval.request, answerIn(stored));
    if (problem !== undefined) throw new FleetInputError('answer', problem);
    // Otherwise it was answered, or escalated to others, while the caller was checked.
    if (await storeAnswer(database, approval, { decision, stored, hash, caller })) return;
  }
}

/** Why an answer does not count; undefined if it does. The caller is checked last, so that `authorize` sees only what could be answered. */
async function refusalOf(attempt: {
  readonly approval: Approval;
  readonly stored: string;
  readonly hash: string;
  readonly caller: ApprovalCaller;
  readonly authorize: Authorize;
}): Promise<ApprovalClosedError | ApprovalHashError | ApprovalForbiddenError | undefined> {
  const { approval, stored, hash, caller, authorize } = attempt;
  const { id, state, by, groups, request } = approval;
  if (state !== 'pending') return new ApprovalClosedError({ id, state, by });
  // The request is hashed again: its row may have been changed after it was stored.
  const isShown = hash === approval.hash && isObject(request) && hash === requestHash(request);
  if (!isShown) return new ApprovalHashError({ id, given: hash });
  // Copies: what it changes has no effect on what is stored and recorded.
  const allowed: unknown = await authorize(structuredClone(caller), structuredClone(approval), answerIn(stored));
  if (allowed === true) return undefined;
  const reason = typeof allowed === 'string' && allowed !== '' ? allowed : undefined;
  return new ApprovalForbiddenError({ id, by: caller.by, groups }, reason);
}

/** The default: without groups everybody may answer, otherwise only a caller that belongs to one of them. */
function isMember({ groups }: ApprovalCaller, approval: Approval): boolean {
  return approval.groups === null || approval.groups.some((group) => groups.includes(group));
}

/** Stores the answer if the approval still waits for these groups. */
async function storeAnswer(
  database: Database,
  approval: Approval,
  answer: {
    readonly decision: string;
    readonly stored: string;
    readonly hash: string;
    readonly caller: ApprovalCaller;
  },
): Promise<boolean> {
  const { id, key, turn, expiresAt, requestedAt, groups } = approval;
  const { decision, stored, hash, caller } = answer;
  const { by, from } = caller;
  return database.transaction(async (sql) => {
    const won = await sql.query(
      `update @.approval set state = 'answered', answer = $2, answer_hash = $3, answered_by = $4, answered_at = clock_timestamp()
       where id = $1 and state = 'pending'
         and ($5::float8 is null or clock_timestamp() < created_at + $5 * interval '1 ms') returning 1`,
      [id, stored, hash, by, expiresAt === null ? null : expiresAt - requestedAt],
    );
    if (won.length === 0) return false;
    await recordAudit(sql, approval, { kind: 'answered', by, from, detail: { decision, groups, of: caller.groups } });
    await logEvent(sql, 'approval-answered', { key, turn, detail: { approval: id, decision, by } });
    const [row] = await sql.query<{ worker: string | null }>('select worker from @.turn where id = $1', [turn]);
    // A parked turn has no worker: an idle one takes it.
    await notify(sql, database.schema, row?.worker ? aboutWorker(row.worker) : JOBS);
    return true;
  });
}

function answerIn(stored: string): ApprovalAnswer {
  return JSON.parse(stored);
}

/** Checks an answer and returns it as JSON. An invalid one would close the approval and leave the turn waiting. @throws FleetInputError */
function checkedAnswer(answer: ApprovalAnswer): string {
  const text = asJson(answer) ?? 'null';
  if (Buffer.byteLength(text) > MAX_JSON_BYTES)
    throw new FleetInputError('answer', `must not exceed ${MAX_JSON_BYTES} bytes as JSON.`);
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
      return 'must be what allow(), deny(), stopTurn() or answerQuestions() returns, or the same as JSON, such as { "decision": "deny", "reason": "…" }.';
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
