import type { Database } from '../database/database.ts';
import { aboutGroup } from '../database/log.ts';
import { NotInFleetError } from '../errors.ts';
import type { EndedTurn, TurnOutcome } from '../turn/outcome.ts';
import { type CostColumns, totalCost, totalUsd } from '../turn/total-cost.ts';
import type { Connection } from './connect.ts';
import { Watch } from './follow.ts';
import { type GroupInfo, listGroups } from './groups.ts';
import { checkedOptions } from './input.ts';
import { retryUntilAborted } from './retry-until-aborted.ts';
import { type FleetTurn, fleetTurn } from './turns.ts';

/** Until when to wait. */
export interface GroupOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The handle of turns that were submitted together. */
export interface FleetGroup {
  readonly id: string;
  /** Its turns, in the order of submission; without those that were pruned. */
  turns(): Promise<FleetTurn[]>;
  /** Every outcome as soon as its turn has ended; those that have ended come first. @throws FleetInputError, the reason of the signal */
  outcomes(options?: GroupOptions): AsyncGenerator<EndedTurn, void, undefined>;
  /** Waits for all turns. Returns their outcomes in the order of submission. @throws FleetInputError, the reason of the signal */
  done(options?: GroupOptions): Promise<EndedTurn[]>;
  /** The state of its turns, in numbers. @throws NotInFleetError */
  info(): Promise<GroupInfo>;
}

/** Creates the handle of a group. */
export function fleetGroup(connection: Connection, id: string): FleetGroup {
  const { database } = connection;
  return {
    id,
    turns: async () => {
      const rows = await database.query<{ id: string; key: string }>(
        'select id, key from @.turn where group_id = $1 order by group_n',
        [id],
      );
      return rows.map((turn) => fleetTurn(connection, turn));
    },
    async *outcomes(options = {}) {
      for await (const { turn } of ended(connection, id, checkedOptions(options, { signal: true }).signal)) yield turn;
    },
    done: async (options = {}) => {
      const all: GroupTurn[] = [];
      for await (const one of ended(connection, id, checkedOptions(options, { signal: true }).signal)) all.push(one);
      return all.sort((a, b) => a.place - b.place).map(({ turn }) => turn);
    },
    info: async () => {
      const [found] = await listGroups(database, { id });
      if (found === undefined) throw new NotInFleetError('group', id);
      return found;
    },
  };
}

/** A turn of a group that has ended. */
interface GroupTurn {
  readonly place: number;
  readonly turn: EndedTurn;
}

interface EndedRow extends CostColumns {
  readonly id: string;
  readonly outcome: TurnOutcome;
  readonly group_n: number;
}

/** Rows per read. */
const PAGE = 100;

async function* ended(
  { database, hub, limits }: Connection,
  group: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<GroupTurn, void, undefined> {
  const watch = new Watch(database, 'group', group);
  // At most as many as a group has turns.
  const known: string[] = [];
  for (;;) {
    signal?.throwIfAborted();
    await retryUntilAborted(() => watch.renew(), signal);
    // Registered before the read, so that no notification is missed.
    const page = new AbortController();
    const woken = hub.wait(
      aboutGroup(group),
      watch.pollMs(hub, limits),
      signal ? AbortSignal.any([signal, page.signal]) : page.signal,
    );
    try {
      const { rows, done } = await retryUntilAborted(() => read(database, group, known), signal);
      for (const row of rows) {
        known.push(row.id);
        const { id, outcome, group_n: place } = row;
        yield { place, turn: { id, outcome, costUsd: totalUsd(row), cost: totalCost(row) } };
      }
      if (rows.length === 0 && done) return;
      if (rows.length > 0) continue;
      await woken;
    } finally {
      page.abort();
    }
  }
}

/** Reads whether all turns have ended before it reads the ended ones, so that `done` means that no others follow. */
async function read(
  database: Database,
  group: string,
  known: readonly string[],
): Promise<{ readonly rows: EndedRow[]; readonly done: boolean }> {
  const [open] = await database.query<{ open: boolean }>(
    `select exists (select 1 from @.turn where group_id = $1 and state <> 'done') as open`,
    [group],
  );
  const rows = await database.query<EndedRow>(
    `select id, outcome, group_n, cost_usd, cost, earlier_cost from @.turn
     where group_id = $1 and state = 'done' and id <> all($2::text[]) order by ended_at, group_n limit $3`,
    [group, known, PAGE],
  );
  return { rows, done: open?.open !== true };
}
