import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { type AskingPlan, promptOf } from './asks.ts';

/** The records of a run. */
export interface Recorded {
  readonly sql: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
  readonly plan: AskingPlan & { readonly turns: number; readonly conversations: number };
  /** The file with the prompts that agents received and the turns they finished; see worker-process.mjs. */
  readonly agentLog: string;
  /** The turns whose submission was acknowledged. */
  readonly acknowledged: ReadonlySet<string>;
  /** True if no worker was killed, stopped or drained, so that no turn that an agent finished may be lost. */
  readonly workersLive: boolean;
  /** The items of each turn that followers received. */
  readonly seen: ReadonlyMap<string, readonly string[]>;
}

/** The findings. */
export interface Findings {
  readonly outcomes: Readonly<Record<string, number>>;
  readonly slowestSeconds: number;
  readonly problems: string[];
}

/** Checks everything that must hold, whatever happened. */
export async function checkRecorded(recorded: Recorded): Promise<Findings> {
  const { sql } = recorded;
  const { turns, conversations } = recorded.plan;
  const problems: string[] = [];
  const outcomes: Record<string, number> = {};
  const rows = await sql<{
    id: string;
    key: string;
    seq: string;
    state: string;
    outcome_kind: string;
    outcome: { text?: string; by?: string };
  }>('select id, key, seq, state, outcome_kind, outcome from coxswain.turn');
  for (const { outcome_kind: kind, outcome } of rows) {
    const name = [kind, outcome?.by].filter(Boolean).join(' by ');
    outcomes[name] = (outcomes[name] ?? 0) + 1;
  }
  if (rows.length !== turns) problems.push(`${rows.length} turns instead of ${turns}`);
  const stored = new Set(rows.map(({ id }) => id));
  for (const id of recorded.acknowledged) if (!stored.has(id)) problems.push(`${id} was acknowledged, but is missing`);
  for (const { id, state, outcome_kind: kind, outcome } of rows) {
    if (state !== 'done') problems.push(`${id} has not ended: ${state}`);
    if (kind === 'completed' && outcome.text !== `did p${id.slice(1)}`)
      problems.push(`${id} completed with another answer: ${outcome.text}`);
    if (!['completed', 'interrupted', 'dead'].includes(kind))
      problems.push(`${id} ended as ${kind}: ${JSON.stringify(outcome)}`);
  }
  problems.push(...(await checkEvents(recorded)));
  problems.push(...checkAgents(recorded, rows));
  for (let n = 0; n < conversations; n += 1) problems.push(...(await checkTranscript(recorded, `c${n}`)));
  const [left] = await sql<{ jobs: string; owned: string }>(
    `select (select count(*) from coxswain.job where name = 'turns' and state <= 'active') as jobs,
              (select count(*) from coxswain.conversation where owner is not null) as owned`,
  );
  if (Number(left?.jobs) > 0) problems.push(`${left?.jobs} jobs are left in the queue`);
  if (Number(left?.owned) > 0) problems.push(`${left?.owned} conversations still have an owner`);
  problems.push(...(await checkCosts(recorded)));
  const [slowest] = await sql<{ seconds: string }>(
    'select max(extract(epoch from ended_at - started_at)) as seconds from coxswain.turn',
  );
  return { outcomes, slowestSeconds: Number(slowest?.seconds ?? 0), problems };
}

/** One outcome for each turn, each prompt sent at most once, turns in the order of submission and never interleaved. */
async function checkEvents({ sql }: Recorded): Promise<string[]> {
  const problems: string[] = [];
  const events = await sql<{ key: string; turn: string; kind: string; state: string | null }>(
    `select key, turn, kind, body->>'state' as state from coxswain.event where kind in ('state', 'outcome') order by key, seq`,
  );
  const count = new Map<string, { outcomes: number; sent: number }>();
  const current = new Map<string, number>();
  for (const { key, turn, kind, state } of events) {
    const counts = count.get(turn) ?? { outcomes: 0, sent: 0 };
    count.set(turn, counts);
    if (kind === 'outcome') counts.outcomes += 1;
    if (state === 'sent') counts.sent += 1;
    // Its worker recorded `sent`, could not reach the database in time, and released the turn without sending the prompt.
    // A parked turn is resumed without its prompt.
    if (state === 'waiting' || state === 'parked') counts.sent = 0;
    const n = Number(turn.slice(1));
    if (n < (current.get(key) ?? -1)) problems.push(`${turn} has an event after a later turn of ${key}`);
    current.set(key, n);
  }
  for (const [turn, { outcomes, sent }] of count) {
    if (outcomes !== 1) problems.push(`${turn} has ${outcomes} outcomes`);
    if (sent > 1) problems.push(`${turn} was sent ${sent} times`);
  }
  return problems;
}

/** Each cost counts once for the tenant and the conversation, also for turns that were cut off. */
async function checkCosts({ sql, plan }: Recorded): Promise<string[]> {
  const [paid] = await sql<{ turns: number; days: number; conversations: number; counted: string }>(
    `select (select sum(cost_usd + coalesce((earlier_cost->>'costUsd')::float8, 0)) from coxswain.turn) as turns, (select sum(usd) from coxswain.spend) as days,
            (select sum(cost_usd) from coxswain.conversation) as conversations,
            (select sum(turns) from coxswain.spend) as counted`,
  );
  const { turns = 0, days = 0, conversations = 0, counted } = paid ?? {};
  const problems: string[] = [];
  if (Math.abs(turns - days) > 1e-6) problems.push(`the turns cost ${turns}, but the days ${days}`);
  if (Math.abs(turns - conversations) > 1e-6)
    problems.push(`the turns cost ${turns}, but the conversations ${conversations}`);
  if (Number(counted) !== plan.turns) problems.push(`${counted} turns were counted instead of ${plan.turns}`);
  return problems;
}

/** Agents received each prompt unchanged and at most once, and every completed one; no finished turn is lost. */
function checkAgents(
  { agentLog, workersLive, plan }: Recorded,
  rows: readonly { id: string; outcome_kind: string; outcome: object }[],
): string[] {
  const problems: string[] = [];
  const saw = new Map<string, number>();
  const finished = new Map<string, string>();
  for (const line of readFileSync(agentLog, 'utf8').split('\n').filter(Boolean)) {
    const [what, id = '', ...words] = line.split(' ');
    const text = words.join(' ');
    if (what === 'finished') finished.set(id, text);
    else if (what === 'saw') {
      saw.set(id, (saw.get(id) ?? 0) + 1);
      if (text !== promptOf(Number(id.slice(1)), plan)) problems.push(`${id} reached its agent as "${text}"`);
    }
  }
  for (const [id, times] of saw) if (times > 1) problems.push(`the prompt of ${id} reached an agent ${times} times`);
  for (const { id, outcome_kind: kind, outcome } of rows) {
    if (kind === 'completed' && !saw.has(id)) problems.push(`${id} completed, but no agent received it`);
    const worker = finished.get(id);
    if (workersLive && worker !== undefined && kind !== 'completed')
      problems.push(`${id} was finished by ${worker}, but ended as ${JSON.stringify(outcome)}`);
  }
  return problems;
}

/**
 * The stored transcript matches what followers received. For a turn that was cut off, one of the two may have one more message: the
 * agent sends a message and its line of the transcript one after the other.
 */
async function checkTranscript({ sql, seen: followed }: Recorded, key: string): Promise<string[]> {
  const events = await sql<{ turn: string; text: string; kind: string }>(
    `select e.turn, c->>'text' as text, t.outcome_kind as kind from coxswain.event e join coxswain.turn t on t.id = e.turn,
         json_array_elements(e.body->'message'->'message'->'content') c
       where e.key = $1 and e.kind = 'message' and e.body->'message'->>'type' = 'assistant' and c->>'type' = 'text' order by e.seq`,
    [key],
  );
  const entries = await sql<{ text: string }>(
    `select c->>'text' as text from coxswain.entry, json_array_elements(line->'message'->'content') c
       where key = $1 and subpath = '' and line->>'type' = 'assistant' and c->>'type' = 'text' order by n`,
    [key],
  );
  const problems: string[] = [];
  const numbers = entries.map(({ text }) => Number(/p(\d+)$/.exec(text)?.[1]));
  if (numbers.some((n, at) => n < (numbers[at - 1] ?? 0))) problems.push(`${key}: its transcript is out of order`);
  for (const turn of new Set([...events.map((event) => event.turn), ...numbers.map((n) => `t${n}`)])) {
    const read = events.filter((event) => event.turn === turn).map(({ text }) => text);
    const stored = entries.map(({ text }) => text).filter((text) => text.endsWith(` p${turn.slice(1)}`));
    const common = Math.min(read.length, stored.length);
    const same = read.slice(0, common).join('|') === stored.slice(0, common).join('|');
    const complete = events.find((event) => event.turn === turn)?.kind === 'completed';
    if (!same || (complete && read.length !== stored.length))
      problems.push(`${turn}: stored ${stored.join('|')}, read ${read.join('|')}`);
    const seen = followed.get(turn);
    if (seen && seen.join('|') !== read.join('|'))
      problems.push(`${turn}: a follower received ${seen.join('|')} instead of ${read.join('|')}`);
  }
  return problems;
}
