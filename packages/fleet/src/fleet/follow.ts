import type { Message, PermissionRequest, PlainError, Warning } from 'coxswain';
import type { Database } from '../database/database.ts';
import type { Hub } from '../database/hub.ts';
import { aboutConversation } from '../database/log.ts';
import { DatabaseUnavailableError, NotInFleetError } from '../errors.ts';
import type { FleetLimits } from '../limits.ts';
import type { TurnOutcome } from '../turn/outcome.ts';
import type { TurnState } from '../turn/turn-state.ts';
import { checkedOptions, checkedWhole } from './input.ts';
import { NO_PRIVILEGE, patiently } from './patiently.ts';

/** One item of a turn. `seq` grows within the conversation; `at` is when it was stored, in ms since the epoch. */
export type FollowItem = { readonly seq: number; readonly at: number } & FollowBody;

/** The kinds of items. The last one is the `outcome`. */
export type FollowBody =
  | { readonly kind: 'state'; readonly state: TurnState; readonly worker: string | null; readonly attempt: number }
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'warning'; readonly warning: Warning }
  | { readonly kind: 'error'; readonly error: PlainError }
  /** `approval` is for `fleet.answer()`; null if the agent itself decides. */
  | { readonly kind: 'permission-requested'; readonly approval: string | null; readonly request: PermissionRequest }
  | { readonly kind: 'permission-answered'; readonly requestId: string; readonly decision: string }
  | { readonly kind: 'outcome'; readonly outcome: TurnOutcome };

/** Where to start reading, and when to stop. */
export interface FollowOptions {
  /** Only items with a higher `seq`. */
  readonly after?: number | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
}

/** Rows that are read at once: they are all a slow follower keeps in memory. */
const PAGE = 100;

/** How long a conversation counts as followed after its followers last looked. */
const WATCHED_MS = 30_000;

interface EventRow {
  readonly seq: number;
  readonly at: Date;
  readonly kind: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The items of a turn, live and from the tables. It survives a lost database connection. @throws NotInFleetError, FleetInputError */
export async function* follow(
  { database, hub, limits }: { readonly database: Database; readonly hub: Hub; readonly limits: FleetLimits },
  turn: { readonly id: string; readonly key: string },
  options: FollowOptions = {},
): AsyncGenerator<FollowItem, void, undefined> {
  const { after = 0, signal } = checkedOptions(options, { after: true, signal: true });
  let last = checkedWhole('after', after, 0);
  const attention = new Attention(database, turn.key);
  while (!signal?.aborted) {
    await patiently(() => attention.keep(), signal);
    // Registered before the tables are read: a notification in between is not missed.
    const page = new AbortController();
    const woken = hub.wait(
      aboutConversation(turn.key),
      attention.lookAgainMs(hub, limits),
      signal ? AbortSignal.any([signal, page.signal]) : page.signal,
    );
    const { rows, done } = await patiently(() => read(database, turn.id, last), signal);
    for (const { seq, at, kind, body } of rows) {
      last = seq;
      // The worker stores a body that fits its kind.
      yield { ...body, seq, at: at.getTime(), kind: kind === 'partial' ? 'message' : kind } as unknown as FollowItem;
    }
    if (rows.length === 0 && done) return page.abort();
    if (rows.length > 0) page.abort();
    else await woken;
  }
}

/** Whether the turn had ended is read first: items that come after it belong to another read. */
async function read(database: Database, turn: string, after: number): Promise<{ rows: EventRow[]; done: boolean }> {
  const [state] = await database.query<{ state: TurnState }>('select state from @.turn where id = $1', [turn]);
  if (state === undefined) throw new NotInFleetError('turn', turn);
  const rows = await database.query<EventRow>(
    'select seq, at, kind, body from @.event where turn = $1 and seq > $2 order by seq limit $3',
    [turn, after, PAGE],
  );
  return { rows, done: state.state === 'done' };
}

/** Workers only notify about conversations that are followed: this says so, and again before it is forgotten. */
export class Attention {
  readonly #database: Database;
  readonly #key: string;
  #until = 0;
  #isKept = false;

  constructor(database: Database, key: string) {
    this.#database = database;
    this.#key = key;
  }

  /** A user or a server that only reads cannot say so: such followers poll. */
  async keep(): Promise<void> {
    if (performance.now() < this.#until - WATCHED_MS / 2) return;
    const text = `update @.conversation set watched_until = clock_timestamp() + $2 * interval '1 ms' where key = $1`;
    try {
      await this.#database.transaction((sql) => sql.query(text, [this.#key, WATCHED_MS]), { durable: false });
      this.#isKept = true;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError && ONLY_READS.has(error.reason))) throw error;
      this.#isKept = false;
    }
    this.#until = performance.now() + WATCHED_MS;
  }

  /** Notifications arrive while the hub listens, and a lost connection wakes everything: looking is only a safety net then. */
  lookAgainMs(hub: Hub, { pollMs }: FleetLimits): number {
    return hub.listening && this.#isKept ? Math.max(pollMs, WATCHED_MS / 3) : pollMs;
  }
}

/** No grant, and a read-only transaction. */
const ONLY_READS: ReadonlySet<string | undefined> = new Set([NO_PRIVILEGE, '25006']);
