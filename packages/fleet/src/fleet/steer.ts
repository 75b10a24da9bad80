import type { UserContent } from 'coxswain';
import type { Database, Transaction } from '../database/database.ts';
import { aboutWorker, logEvent, notify } from '../database/log.ts';
import { FleetInputError, NotInFleetError } from '../errors.ts';
import type { TurnState } from '../turn/turn-state.ts';
import { uuid7 } from '../turn/uuid7.ts';
import { checkedId, checkedName, checkedOptions } from './input.ts';
import { contentJson } from './submit.ts';

/** Options of `steer()`. */
export interface SteerOptions {
  /** Its author. */
  readonly by?: string | undefined;
  /** Steering again with the same id changes nothing. A new UUID by default. */
  readonly id?: string | undefined;
}

/**
 * The effect of `steer()`. `accepted`: the worker passes the text on to the agent, unless the turn ends first; `not-running`: the turn is waiting
 * or parked; `too-late`: it has ended.
 */
export type SteerEffect = 'accepted' | 'not-running' | 'too-late';

/** An addition to a running turn. */
export interface Steer {
  readonly id: string;
  readonly content: UserContent;
  readonly by: string;
  /** In ms since the epoch, as the other. */
  readonly createdAt: number;
  /** When a worker passed it on to the agent; null if it waits, or if the turn ended first. */
  readonly passedAt: number | null;
  /** True if the turn ended before the agent got it. */
  readonly missed: boolean;
}

/** The most additions of one turn. */
const MAX_STEERS = 100;

/** Adds to the prompt of a running turn, wherever it runs. @throws NotInFleetError, FleetInputError */
export async function steerTurn(
  database: Database,
  turn: string,
  content: UserContent,
  options: SteerOptions,
): Promise<SteerEffect> {
  const { by = 'unknown', id = uuid7() } = checkedOptions(options, { by: true, id: true });
  const json = contentJson('content', content, (field, problem) => new FleetInputError(field, problem));
  const row = { id: checkedName('id', id), turn: checkedId('turn', turn), by: checkedName('by', by), json };
  return database.transaction((sql) => steerIn(sql, database.schema, row));
}

async function steerIn(
  sql: Transaction,
  schema: string,
  { id, turn, by, json }: { readonly id: string; readonly turn: string; readonly by: string; readonly json: string },
): Promise<SteerEffect> {
  const [found] = await sql.query<{ key: string; state: TurnState; worker: string | null }>(
    'select key, state, worker from @.turn where id = $1',
    [turn],
  );
  if (found === undefined) throw new NotInFleetError('turn', turn);
  const [same] = await sql.query<{ turn: string }>('select turn from @.steer where id = $1', [id]);
  if (same !== undefined && same.turn !== turn) throw new FleetInputError('id', 'belongs to another turn.');
  if (same !== undefined) return 'accepted';
  const { key, state, worker } = found;
  if (state === 'done') return 'too-late';
  if (worker === null || (state !== 'claimed' && state !== 'sent')) return 'not-running';
  const stored = await sql.query(
    `insert into @.steer (id, turn, content, by) select $1, $2, $3, $4
     where (select count(*) from @.steer where turn = $2) < $5 on conflict (id) do nothing returning 1`,
    [id, turn, json, by, MAX_STEERS],
  );
  if (stored.length === 0) throw new FleetInputError('content', `must not be added more than ${MAX_STEERS} times.`);
  await logEvent(sql, 'turn-steered', { key, turn, detail: { by } });
  await notify(sql, schema, aboutWorker(worker));
  return 'accepted';
}

/** The additions to a turn, in their order. @throws NotInFleetError */
export async function listSteers(database: Database, turn: string): Promise<Steer[]> {
  const [found] = await database.query<{ state: TurnState }>('select state from @.turn where id = $1', [
    checkedId('turn', turn),
  ]);
  if (found === undefined) throw new NotInFleetError('turn', turn);
  const rows = await database.query<{
    id: string;
    content: UserContent;
    by: string;
    created_at: Date;
    passed_at: Date | null;
  }>('select id, content, by, created_at, passed_at from @.steer where turn = $1 order by n', [turn]);
  return rows.map(({ id, content, by, created_at, passed_at }) => ({
    id,
    content,
    by,
    createdAt: created_at.getTime(),
    passedAt: passed_at?.getTime() ?? null,
    missed: passed_at === null && found.state === 'done',
  }));
}
