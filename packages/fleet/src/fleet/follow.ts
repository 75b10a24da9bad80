import { type Message, type PermissionRequest, requestHash, type UserContent, type Warning } from 'coxswain';
import type { PlainError } from 'coxswain/types';
import type { Database } from '../database/database.ts';
import type { Hub } from '../database/hub.ts';
import { aboutConversation } from '../database/log.ts';
import { DatabaseUnavailableError, NotInFleetError } from '../errors.ts';
import type { FleetLimits } from '../limits.ts';
import type { TurnOutcome } from '../turn/outcome.ts';
import type { TurnState } from '../turn/turn-state.ts';
import { checkedOptions, checkedWhole } from './input.ts';
import { NO_PRIVILEGE, retryUntilAborted } from './retry-until-aborted.ts';

/** One item of a turn. `seq` grows within the conversation; `at` is when it was stored, in ms since the epoch. */
export type FollowItem = { readonly seq: number; readonly at: number } & FollowBody;

/** The kinds of items. The last one is the `outcome`. */
export type FollowBody =
  | { readonly kind: 'state'; readonly state: TurnState; readonly worker: string | null; readonly attempt: number }
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'warning'; readonly warning: Warning }
  | { readonly kind: 'error'; readonly error: PlainError }
  /** `approval` and `hash` are for `fleet.answer()`; `approval` is null if the agent itself decides. */
  | {
      readonly kind: 'permission-requested';
      readonly approval: string | null;
      readonly hash: string;
      readonly request: PermissionRequest;
    }
  | { readonly kind: 'permission-answered'; readonly requestId: string; readonly decision: string }
  /** The agent gets an addition to the prompt. */
  | { readonly kind: 'steered'; readonly steer: string; readonly content: UserContent; readonly by: string }
  /** An attempt has ended with `outcome`, and is repeated after `afterMs`. What follows is of the next one. */
  | { readonly kind: 'retry'; readonly outcome: TurnOutcome; readonly attempt: number; readonly afterMs: number }
  /** What the agent reads before the prompt, for example that files of the conversation are gone. */
  | { readonly kind: 'notice'; readonly text: string }
  | { readonly kind: 'outcome'; readonly outcome: TurnOutcome };

/** Where to start reading, and when to stop. */
export interface FollowOptions {
  /** Only items with a higher `seq`. */
  readonly after?: number | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
}

/** Rows per read: a slow follower keeps no more in memory. */
const PAGE = 100;

/** Time for which a conversation counts as followed after a follower has renewed its watch. */
const WATCHED_MS = 30_000;

interface EventRow {
  readonly seq: number;
  readonly at: Date;
  readonly kind: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The items of a turn, live and from the tables. Survives lost connections to the database. @throws NotInFleetError, FleetInputError */
export async function* follow(
  { database, hub, limits }: { readonly database: Database; readonly hub: Hub; readonly limits: FleetLimits },
  turn: { readonly id: string; readonly key: string },
  options: FollowOptions = {},
): AsyncGenerator<FollowItem, void, undefined> {
  const { after = 0, signal } = checkedOptions(options, { after: true, signal: true });
  let last = checkedWhole('after', after, 0);
  const watch = new Watch(database, 'conversation', turn.key);
  while (!signal?.aborted) {
    await retryUntilAborted(() => watch.renew(), signal);
    // Registered before the read, so that no notification is missed.
    const page = new AbortController();
    const woken = hub.wait(
      aboutConversation(turn.key),
      watch.pollMs(hub, limits),
      signal ? AbortSignal.any([signal, page.signal]) : page.signal,
    );
    const { rows, done } = await retryUntilAborted(() => read(database, turn.id, last), signal);
    for (const { seq, at, kind, body } of rows) {
      last = seq;
      // Workers store bodies that match their kinds.
      const item = {
        ...body,
        seq,
        at: at.getTime(),
        kind: kind === 'partial' ? 'message' : kind,
      } as unknown as FollowItem;
      // Of what is shown: the row may have been changed since it was stored.
      yield item.kind === 'permission-requested' ? { ...item, hash: requestHash(item.request) } : item;
    }
    if (rows.length === 0 && done) return page.abort();
    if (rows.length > 0) page.abort();
    else await woken;
  }
}

/** Reads the state before the items, so that `done` means that no further items follow. */
async function read(database: Database, turn: string, after: number): Promise<{ rows: EventRow[]; done: boolean }> {
  const [state] = await database.query<{ state: TurnState }>('select state from @.turn where id = $1', [turn]);
  if (state === undefined) throw new NotInFleetError('turn', turn);
  const rows = await database.query<EventRow>(
    'select seq, at, kind, body from @.event where turn = $1 and seq > $2 order by seq limit $3',
    [turn, after, PAGE],
  );
  return { rows, done: state.state === 'done' };
}

/** Marks a conversation or a group as followed, and renews the mark: only those are notified about. */
export class Watch {
  readonly #database: Database;
  readonly #mark: string;
  readonly #id: string;
  #until = 0;
  #isRecorded = false;

  constructor(database: Database, kind: keyof typeof MARKS, id: string) {
    this.#database = database;
    this.#mark = MARKS[kind];
    this.#id = id;
  }

  /** Renews the mark if it is due. Followers that may only read cannot, so they poll. */
  async renew(): Promise<void> {
    if (performance.now() < this.#until - WATCHED_MS / 2) return;
    try {
      await this.#database.transaction((sql) => sql.query(this.#mark, [this.#id, WATCHED_MS]), { durable: false });
      this.#isRecorded = true;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError && ONLY_READS.has(error.reason))) throw error;
      this.#isRecorded = false;
    }
    this.#until = performance.now() + WATCHED_MS;
  }

  /** Poll interval: long while notifications arrive, as a lost connection wakes all waits. */
  pollMs(hub: Hub, { pollMs }: FleetLimits): number {
    return hub.listening && this.#isRecorded ? Math.max(pollMs, WATCHED_MS / 3) : pollMs;
  }
}

const MARKS = {
  conversation: `update @.conversation set watched_until = clock_timestamp() + $2 * interval '1 ms' where key = $1`,
  group: `update @.turn_group set watched_until = clock_timestamp() + $2 * interval '1 ms' where id = $1`,
};

/** A missing privilege, and a read-only transaction. */
const ONLY_READS: ReadonlySet<string | undefined> = new Set([NO_PRIVILEGE, '25006']);
