import { checking } from '../errors/options.ts';
import { layer, readDefaults, type UnshareableOption } from '../options/layers.ts';
import { type OptionLayer, ownLayer, readLayer } from '../options/option-layer.ts';
import type { AgentOptions } from '../options/option-types.ts';
import { createPoolWith } from '../pool/create-pool.ts';
import type { PoolOptions } from '../pool/options.ts';
import type { Pool } from '../pool/pool.ts';
import { queryWith } from '../query/query.ts';
import type { QueryStream } from '../query/query-stream.ts';
import { joinObservers } from '../report/observers.ts';
import type { RunObserver } from '../report/run-observer.ts';
import { type OpenSessionOptions, openSessionWith } from '../restart/open-session.ts';
import type { Session } from '../session/session.ts';
import type { UserContent } from '../wire/messages.ts';

/** Default options for all queries, sessions and pools of a client. */
export type ClientDefaults = Omit<AgentOptions, UnshareableOption>;

/** Queries, sessions and pools with shared defaults. The options of a call take precedence. */
export interface Client {
  /** The defaults, including those of the parent clients. */
  readonly defaults: ClientDefaults;
  /** Like `query`, with the client's defaults below the options of the call. */
  query<T = unknown>(prompt: UserContent, options?: AgentOptions<T>): QueryStream<T>;
  /** Like `openSession`. */
  openSession<T = unknown>(options?: OpenSessionOptions<T>): Session<T>;
  /** Like `createPool`; the pool's own defaults take precedence over the client's. @throws OptionsError */
  createPool<T = unknown>(options: PoolOptions<T>): Pool<T>;
  /**
   * Observes all queries and sessions that this client, clients derived from it, and their pools open from now on. The returned
   * function ends the observation, including that of open runs.
   */
  observe(observer: RunObserver): () => void;
  /** Creates a client with further defaults, which take precedence over these. @throws OptionsError */
  with(defaults: ClientDefaults): Client;
}

/**
 * Creates a client. The options of a call take precedence over the client's defaults, and these over the environment
 * (`COXSWAIN_*`) and the built-in defaults. `env`, `mcpServers`, `hooks`, `agents`, `limits` and `extraArgs` are merged by key;
 * `observers` are concatenated; other lists are replaced.
 * @throws OptionsError for options that only one run can use
 */
export function createClient(defaults: ClientDefaults = {}): Client {
  return clientWith(defaults, []);
}

/** `inherited` holds the defaults of the parent clients, strongest first; `above` holds their observers. */
function clientWith(
  defaults: ClientDefaults,
  inherited: readonly OptionLayer[],
  above: readonly ReadonlySet<RunObserver>[] = [],
): Client {
  const below = [checking((report) => readDefaults(defaults, 'pass it to the call', report)), ...inherited];
  const observers = new Set<RunObserver>();
  const lists = [observers, ...above];
  // Evaluated whenever a run is opened, including by an existing pool.
  const observing = ownLayer({
    get observers() {
      return lists.flatMap((list) => [...list]);
    },
  });
  const layers = [...below, observing];
  return {
    get defaults() {
      return Object.freeze(layer(...below.map(({ values }) => values)));
    },
    query: <T>(prompt: UserContent, options: AgentOptions<T> = {}) =>
      queryWith<T>(prompt, [readLayer(options), ...layers]),
    openSession: (options = {}) => openSessionWith(options, layers),
    createPool: (options) => createPoolWith(options, layers),
    observe: (observer) => joinObservers(observers, observer).end,
    with: (further) => clientWith(further, below, lists),
  };
}
