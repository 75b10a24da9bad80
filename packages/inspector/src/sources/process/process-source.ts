import type { Session } from 'coxswain';
import type { ObservedRun, RunObserver, RunWatcher } from 'coxswain/observe';
import { poolOf, sessionOf } from 'coxswain/observe';
import type { QueueAction, QueueInfo, SourceInfo } from '../../api.ts';
import { inherit } from '../../conversations/inherit.ts';
import type { ConversationRecord } from '../../conversations/record.ts';
import { DiskTranscript } from '../disk/disk-transcript.ts';
import type { ConversationRegistry, Source } from '../source.ts';
import { PoolWatch } from './pool-watch.ts';
import { RunControls } from './run-controls.ts';
import { RunFeed } from './run-feed.ts';
import { isPool, type Observable, type WatchablePool } from './watchable.ts';

/** The queries and sessions of this process. */
export class ProcessSource implements Source {
  readonly info: SourceInfo = { id: 'process', kind: 'process', label: `this process (${process.pid})` };
  /** For the option `observers`. */
  readonly observer: RunObserver = { opened: (run) => this.#opened(run, undefined) };
  /** Set once a pool is watched. */
  queues?: () => readonly QueueInfo[];
  readonly #targets: readonly Observable[];
  readonly #unobserve: (() => void)[] = [];
  readonly #pools: PoolWatch[] = [];
  readonly #feeds = new Set<RunFeed>();
  /** Sessions that were opened from the page; they close with the inspector. */
  readonly #own = new Set<Session>();
  #registry: ConversationRegistry | undefined;

  constructor(targets: readonly Observable[]) {
    this.#targets = targets;
  }

  start(registry: ConversationRegistry): void {
    this.#registry = registry;
    for (const target of this.#targets) {
      const pool = isPool(target) ? target : undefined;
      if (pool) this.#watchPool(pool, registry);
      this.#unobserve.push(target.observe({ opened: (run) => this.#opened(run, pool) }));
    }
  }

  async actOnQueue(queue: string, action: QueueAction): Promise<boolean> {
    const watch = this.#pools.find(({ place }) => place.id === queue);
    await watch?.act(action);
    return watch !== undefined;
  }

  /** Watches a session that was opened from the page, and closes it with the inspector. Returns its conversation. */
  adopt(session: Session, parent: string | null): ConversationRecord {
    this.#own.add(session);
    void session.closed.then(() => this.#own.delete(session));
    const known = (): RunFeed | undefined => [...this.#feeds].find(({ run }) => sessionOf(run) === session);
    // Sessions of an observed client are already observed.
    if (!known()) this.#unobserve.push(session.observe(this.observer));
    const record = known()?.record;
    if (!record) throw new Error('The session ended before it could be shown.');
    if (parent !== null) record.change({ parent });
    return record;
  }

  async close(): Promise<void> {
    for (const end of this.#unobserve.splice(0)) end();
    for (const pool of this.#pools) pool.end();
    for (const feed of this.#feeds) feed.end();
    await Promise.allSettled([...this.#own].map((session) => session.close()));
  }

  #opened(run: ObservedRun, target: WatchablePool | undefined): RunWatcher | undefined {
    const registry = this.#registry;
    if (!registry) return undefined;
    // A client's pool is found through its sessions.
    const pool = target ?? poolOf(run);
    const redact = (text: string): string => run.redact(text);
    if (pool) this.#watchPool(pool, registry).redact = redact;
    const record = this.#recordFor(run, registry);
    record.secrets.add(redact);
    // A session that is already open has a history, too.
    const session = sessionOf(run);
    const { configDir } = run.options;
    const before = run.options.resume ?? session?.id;
    const history = async (): Promise<void> => {
      if (before === undefined) return;
      const place = configDir === undefined ? {} : { configDir };
      const past = new DiskTranscript(record, before, place, run.options.resumeAt);
      await past.read().catch(() => {});
      past.settle(true);
      // A transcript that cannot be read is copied from the page; without one, the conversation begins here.
      const parent = registry.find(record.info.parent ?? '');
      if (parent && record.entries.total === 0) await inherit(record, parent, run.options.resumeAt);
    };
    const feed: RunFeed = new RunFeed(run, record, {
      history: before !== undefined && record.entries.total === 0 ? history : undefined,
      ended: () => this.#feeds.delete(feed),
    });
    this.#feeds.add(feed);
    const controls = new RunControls(feed, pool, (session, parent) => this.adopt(session, parent));
    record.controls = controls.offered();
    if (session) feed.joinLate(session);
    return feed.watcher((prompt) => controls.senderOf(prompt));
  }

  #watchPool(pool: WatchablePool, registry: ConversationRegistry): PoolWatch {
    const known = this.#pools.find((watch) => watch.pool === pool);
    if (known) return known;
    const number = this.#pools.length + 1;
    const conversationOf = (key: string | null): string | null =>
      key === null ? null : ([...this.#feeds].find(({ run }) => run.pool?.key === key)?.record.id ?? null);
    const label = number === 1 ? 'pool' : `pool ${number}`;
    const place = { id: `pool-${number}`, label, source: this.info.id, registry, conversationOf };
    const watch = new PoolWatch(pool, place);
    this.#pools.push(watch);
    this.queues = () => this.#pools.map((each) => each.info());
    registry.queuesChanged();
    return watch;
  }

  /** If a conversation that ended here is resumed, its record continues. */
  #recordFor(run: ObservedRun, registry: ConversationRegistry): ConversationRecord {
    const { resume, forkSession, title, model, cwd, sessionId } = run.options;
    const from = typeof resume === 'string' ? registry.bySession(resume) : undefined;
    if (from && forkSession !== true && from.activity.life !== 'open') {
      from.change({}, { life: 'open', error: null });
      return from;
    }
    return registry.add(this.info, `p-${run.id}`, {
      title: title ?? (forkSession === true && from ? `Fork of ${from.info.title}` : ''),
      model: model ?? null,
      cwd: cwd ?? process.cwd(),
      sessionId: sessionId ?? (forkSession === true ? null : (resume ?? null)),
      parent: forkSession === true ? (from?.id ?? null) : null,
      key: run.pool?.key ?? null,
      startedAt: Date.now(),
    });
  }
}
