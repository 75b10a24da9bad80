import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { type AskingPlan, commandsOf, promptOf } from './asks.ts';

/** The records about approvals. */
export interface RecordedApprovals {
  readonly sql: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
  readonly plan: AskingPlan;
  readonly agentLog: string;
  /** The answers that `answer()` confirmed, by approval. */
  readonly accepted: ReadonlyMap<string, string>;
}

interface ApprovalRow {
  readonly id: string;
  readonly turn: string;
  readonly command: string;
  readonly state: string;
  readonly delivered: boolean;
  readonly parkable: boolean;
  readonly decision: string | null;
  readonly outcome: string;
  readonly cancelled: boolean;
}

/** The findings. */
export interface ApprovalFindings {
  /** The number of approvals in each end state. */
  readonly approvals: Readonly<Record<string, number>>;
  readonly problems: string[];
}

/**
 * Denied tools did not run; allowed ones ran once, or their turn was interrupted and they ran at most once; no accepted answer is
 * void; and nothing was asked twice.
 */
export async function checkApprovals(recorded: RecordedApprovals): Promise<ApprovalFindings> {
  const { sql, plan, accepted } = recorded;
  const problems: string[] = [];
  const approvals: Record<string, number> = {};
  const rows = await sql<ApprovalRow>(
    `select a.id, a.turn, a.request->'input'->>'command' as command, a.state, a.delivered, a.answer->>'decision' as decision,
            a.parked is not null as parkable, t.outcome_kind as outcome, t.cancelled_by is not null as cancelled
     from coxswain.approval a join coxswain.turn t on t.id = a.turn`,
  );
  const ran = toolRuns(recorded.agentLog);
  const asked = new Map<string, ApprovalRow>();
  for (const row of rows) {
    const { id, turn, command, state, decision, outcome } = row;
    const what = `${turn} ${command}`;
    const name = [state, state === 'answered' ? decision : outcome, row.delivered ? 'delivered' : ''];
    const kind = name.filter(Boolean).join(', ');
    approvals[kind] = (approvals[kind] ?? 0) + 1;
    if (asked.has(what)) problems.push(`${what} was asked twice`);
    asked.set(what, row);
    const confirmed = accepted.get(id);
    if (confirmed !== undefined && confirmed !== decision)
      problems.push(`the answer to ${what} was ${confirmed}, but ${decision} is stored`);
    if (state === 'pending') problems.push(`${what} still waits, and its turn is ${outcome}`);
    if (state === 'void' && decision !== null && !row.cancelled)
      problems.push(
        `the accepted answer to ${what} is void (parkable: ${row.parkable}), and its turn is ${outcome}: ${await historyOf(sql, turn)}`,
      );
    problems.push(...checkRuns(row, ran.get(what) ?? 0));
  }
  for (const [what, times] of ran) if (!asked.has(what)) problems.push(`${what} ran ${times} times and was not asked`);
  const completed = await sql<{ id: string }>(`select id from coxswain.turn where outcome_kind = 'completed'`);
  for (const { id } of completed)
    for (const command of commandsOf(promptOf(Number(id.slice(1)), plan)))
      if (!asked.has(`${id} ${command}`)) problems.push(`${id} completed without the question for ${command}`);
  return { approvals, problems };
}

/** What happened to a turn, in a few words. */
async function historyOf(sql: RecordedApprovals['sql'], turn: string): Promise<string> {
  const rows = await sql<{ at: Date; what: string }>(
    `select at, concat_ws(' ', kind, worker, detail) as what from coxswain.log where turn = $1
     union all select at, concat_ws(' ', 'event', kind, body->>'state') from coxswain.event
       where event.turn = $1 and event.kind in ('state', 'permission-requested', 'permission-answered', 'outcome')
     union all select at, concat_ws(' ', 'audit', kind, worker, detail) from coxswain.approval_audit where turn = $1 order by at`,
    [turn],
  );
  return rows.map(({ at, what }) => `${at.toISOString().slice(17, 23)} ${what}`).join('; ');
}

function checkRuns({ turn, command, state, decision, delivered, outcome }: ApprovalRow, times: number): string[] {
  const isAllowed = state === 'answered' && decision === 'allow';
  const what = `${turn} ${command} (${state}, ${decision}, ${outcome})`;
  if (times > 1) return [`${what} ran ${times} times`];
  if (!isAllowed && times > 0) return [`${what} ran, but was not allowed`];
  if (outcome !== 'completed') return [];
  if (isAllowed && times === 0) return [`${what} did not run`];
  return delivered ? [] : [`${what} was not recorded as delivered`];
}

/** The number of times that each tool of each turn ran. */
function toolRuns(agentLog: string): Map<string, number> {
  const ran = new Map<string, number>();
  for (const line of readFileSync(agentLog, 'utf8').split('\n')) {
    const [what, turn, command] = line.split(' ');
    if (what === 'ran') ran.set(`${turn} ${command}`, (ran.get(`${turn} ${command}`) ?? 0) + 1);
  }
  return ran;
}
