import { type OptionProblem, OptionsError } from '../errors/options.ts';
import { checkShareable, layer, type UnshareableOption } from '../options/layers.ts';
import type { AgentOptions } from '../options/option-types.ts';
import { createPoolWith } from '../pool/create-pool.ts';
import type { PoolOptions } from '../pool/options.ts';
import type { Pool } from '../pool/pool.ts';
import { queryWith } from '../query/query.ts';
import type { QueryStream } from '../query/query-stream.ts';
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
  /** A client with further defaults, which take precedence over these. @throws OptionsError */
  with(defaults: ClientDefaults): Client;
}

/**
 * Creates a client. A call's options take precedence over the client's, and these over the environment (`COXSWAIN_*`) and
 * the defaults; `env`, `mcpServers`, `hooks`, `agents`, `limits` and `extraArgs` are merged by key, lists replace each other.
 * @throws OptionsError for options that only one run can use
 */
export function createClient(defaults: ClientDefaults = {}): Client {
  return clientWith([defaults]);
}

/** `below` are the defaults in layers, the strongest first. */
function clientWith(below: readonly ClientDefaults[]): Client {
  const problems: OptionProblem[] = [];
  for (const defaults of below) {
    checkShareable(defaults, 'pass it to the call', (path, message) => problems.push({ path, message }));
  }
  if (problems.length > 0) throw new OptionsError(problems);
  return {
    get defaults() {
      return Object.freeze(layer(...below.filter(isJsonObject)));
    },
    query: <T>(prompt: UserContent, options: AgentOptions<T> = {}) => queryWith(prompt, [options, ...shared<T>(below)]),
    openSession: (options = {}) => openSessionWith([options, ...shared(below)]),
    createPool: (options) => createPoolWith(options, shared(below)),
    with: (defaults) => clientWith([defaults, ...below]),
  };
}

/** The outputSchema of a call determines its T, not the client's defaults. */
function shared<T>(below: readonly ClientDefaults[]): readonly AgentOptions<T>[] {
  return below as readonly AgentOptions<T>[];
}
