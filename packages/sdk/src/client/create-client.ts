import { checking } from '../errors/options.ts';
import { checkShareable, layer, type UnshareableOption } from '../options/layers.ts';
import type { AgentOptions } from '../options/option-types.ts';
import { createPoolWith } from '../pool/create-pool.ts';
import type { PoolOptions } from '../pool/options.ts';
import type { Pool } from '../pool/pool.ts';
import { queryWith } from '../query/query.ts';
import type { QueryStream } from '../query/query-stream.ts';
import type { RunObserver } from '../report/run-observer.ts';
import { ObserverList } from '../report/watchers.ts';
import type { Session } from '../session/session.ts';
import { type OpenSessionOptions, openSessionWith } from '../supervise/open-session.ts';
import { isJsonObject } from '../wire/kinds.ts';
import type { UserContent } from '../wire/messages.ts';

/** The default options of all queries, sessions and pools of a client. */
export type ClientDefaults = Omit<AgentOptions, UnshareableOption>;

/** Queries, sessions and pools that share defaults. The options of a call take precedence over them. */
export interface Client {
  /** The defaults, including those of the clients it was derived from. */
  readonly defaults: ClientDefaults;
  /** Like `query`, with the client's defaults below the call's options. */
  query<T = unknown>(prompt: UserContent, options?: AgentOptions<T>): QueryStream<T>;
  /** Like `openSession`. */
  openSession<T = unknown>(options?: OpenSessionOptions<T>): Session<T>;
  /** Like `createPool`; the pool's own defaults take precedence over the client's. @throws OptionsError */
  createPool<T = unknown>(options: PoolOptions<T>): Pool<T>;
  /**
   * Watches all queries and sessions that are opened from now on through this client, through clients derived from it, and by
   * their pools. The returned function ends this, including for open ones.
   */
  observe(observer: RunObserver): () => void;
  /** A client with further defaults, which take precedence over these. @throws OptionsError */
  with(defaults: ClientDefaults): Client;
}

/**
 * Creates a client. A call's options take precedence over the client's, and these over the environment (`COXSWAIN_*`) and
 * the defaults; `env`, `mcpServers`, `hooks`, `agents`, `limits` and `extraArgs` are merged by key, `observers` are joined, and
 * other lists replace each other.
 * @throws OptionsError for options that only one run can use
 */
export function createClient(defaults: ClientDefaults = {}): Client {
  return clientWith([defaults]);
}

/** `below` are the defaults in layers, the strongest first; `above` are the observers of the clients it is derived from. */
function clientWith(below: readonly ClientDefaults[], above: readonly ObserverList[] = []): Client {
  checking((report) => {
    for (const defaults of below) checkShareable(defaults, 'pass it to the call', report);
  });
  const observers = new ObserverList();
  const lists = [observers, ...above];
  // Read whenever a run is opened, also by a pool that exists already.
  const observing: ClientDefaults = {
    get observers() {
      return lists.flatMap((list) => list.current);
    },
  };
  const layers = [...below, observing];
  return {
    get defaults() {
      return Object.freeze(layer(...below.filter(isJsonObject)));
    },
    query: <T>(prompt: UserContent, options: AgentOptions<T> = {}) =>
      queryWith(prompt, [options, ...shared<T>(layers)]),
    openSession: (options = {}) => openSessionWith([options, ...shared(layers)]),
    createPool: (options) => createPoolWith(options, shared(layers)),
    observe: (observer) => observers.add(observer).end,
    with: (defaults) => clientWith([defaults, ...below], lists),
  };
}

/** The outputSchema of a call determines its T, not the client's defaults. */
function shared<T>(below: readonly ClientDefaults[]): readonly AgentOptions<T>[] {
  return below as readonly AgentOptions<T>[];
}
