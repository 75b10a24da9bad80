import { readFileSync } from 'node:fs';
import type pg from 'pg';

/** What a run left behind. */
export interface Recorded {
  readonly sql: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
  readonly plan: { readonly turns: number; readonly conversations: number };
  /** The file to which agents wrote the turns that reached them. */
  readonly effects: string;
  /** What followers saw of each turn. */
  readonly seen: ReadonlyMap<string, readonly string[]>;
}

/** What was found in it. */
export interface Findings {
  readonly outcomes: Readonly<Record<string, number>>;
  readonly slowestSeconds: number;
  readonly problems: string[];
}

/** Everything that must hold, whatever happened. */
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
    outcome: { text?: string };
  }>('select id, key, seq, state, outcome_kind, outcome from coxswain.turn');
  for (const { outcome_kind: kind } of rows) outcomes[kind] = (outcomes[kind] ?? 0) + 1;
  if (rows.length !== turns) problems.push(`${rows.length} turns instead of ${turns}`);
  for (const { id, state, outcome_kind: kind, outcome } of rows) {
    if (state !== 'done') problems.push(`${id} has not ended: ${state}`);
    if (kind === 'completed' && outcome.text !== `did p${id.slice(1)}`)
      problems.push(`${id} completed with another answer: ${outcome.text}`);
    if (!['completed', 'interrupted', 'dead'].includes(kind))
      problems.push(`${id} ended as ${kind}: ${JSON.stringify(outcome)}`);
  }
  problems.push(...(await checkEvents(recorded)));
  problems.push(...checkEffects(recorded, rows));
  for (let n = 0; n < conversations; n += 1) problems.push(...(await checkTranscript(recorded, `c${n}`)));
  const [left] = await sql<{ jobs: string; owned: string }>(
    `select (select count(*) from coxswain.job where name = 'turns' and state <= 'active') as jobs,
              (select count(*) from coxswain.conversation where owner is not null) as owned`,
  );
  if (Number(left?.jobs) > 0) problems.push(`${left?.jobs} jobs are left in the queue`);
  if (Number(left?.owned) > 0) problems.push(`${left?.owned} conversations still have an owner`);
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

/** What agents did: no turn twice, and every completed one. */
function checkEffects({ effects }: Recorded, rows: readonly { id: string; outcome_kind: string }[]): string[] {
  const lines = readFileSync(effects, 'utf8').split('\n').filter(Boolean);
  const once = new Set(lines);
  const problems = lines.length === once.size ? [] : [`${lines.length - once.size} prompts reached an agent twice`];
  for (const { id, outcome_kind: kind } of rows)
    if (kind === 'completed' && !once.has(id)) problems.push(`${id} completed, but no agent saw it`);
  return problems;
}

/**
 * The stored transcript is what followers read. A turn that was cut off may have one more message in one of the two than in
 * the other: a message and its line of the transcript come from the agent one after the other.
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
      problems.push(`${turn}: a follower saw ${seen.join('|')} instead of ${read.join('|')}`);
  }
  return problems;
}
