import { type OptionProblem, OptionsError } from '../errors/options.ts';
import { isObject } from '../options/checks.ts';
import type { AgentOptions } from '../options/groups.ts';
import { layer } from '../options/precedence.ts';
import { checkShareable, type UnshareableOption } from '../options/shareable.ts';
import { createPoolWith } from '../pool/create-pool.ts';
import type { PoolOptions } from '../pool/options.ts';
import type { Pool } from '../pool/pool.ts';
import { queryWith } from '../query/query.ts';
import type { QueryStream } from '../query/query-stream.ts';
import type { Session } from '../session/session.ts';
import { type OpenSessionOptions, openSessionWith } from '../supervise/open-session.ts';
import type { UserContent } from '../wire/messages.ts';

/** The options that every query and session of a client starts from. */
export type ClientDefaults = Omit<AgentOptions, UnshareableOption>;

/** Queries, sessions and pools that share defaults. What a call gives goes before them. */
export interface Client {
  /** The defaults, those of the clients it was made from included. */
  readonly defaults: ClientDefaults;
  /** Like `query`, with the client's defaults below the call's options. */
  query<T = unknown>(prompt: UserContent, options?: AgentOptions<T>): QueryStream<T>;
  /** Like `openSession`. */
  openSession<T = unknown>(options?: OpenSessionOptions<T>): Session<T>;
  /** Like `createPool`; the client's defaults lie below the pool's own. @throws OptionsError */
  createPool<T = unknown>(options: PoolOptions<T>): Pool<T>;
  /** A client with further defaults, which go before these. @throws OptionsError */
  with(defaults: ClientDefaults): Client;
}

/**
 * Makes a client. A call's options go before the client's, these before the environment (`COXSWAIN_*`) and the defaults;
 * `env`, `mcpServers`, `hooks`, `agents`, `limits` and `extraArgs` are merged by key, lists replace each other.
 * @throws OptionsError for what only one session can use
 */
export function createClient(defaults: ClientDefaults = {}): Client {
  return clientWith([defaults]);
}

/** `below` are the defaults in layers, the strongest first. */
function clientWith(below: readonly ClientDefaults[]): Client {
  for (const defaults of below) refuseUnshareable(defaults);
  const layers = <T>(options: AgentOptions<T>): readonly AgentOptions<T>[] => [options, ...shared<T>(below)];
  const client: Client = {
    get defaults() {
      return Object.freeze(layer(...below.filter(isObject)));
    },
    query: (prompt, options = {}) => queryWith(prompt, layers(options)),
    openSession: (options = {}) => openSessionWith([options, ...shared(below)]),
    createPool: (options) => createPoolWith(options, shared(below)),
    with: (defaults) => clientWith([defaults, ...below]),
  };
  return client;
}

/** What a call's own schema makes of T is not the client's affair. */
function shared<T>(below: readonly ClientDefaults[]): readonly AgentOptions<T>[] {
  return below as readonly AgentOptions<T>[];
}

/** Refuses defaults that only one run can use. @throws OptionsError */
function refuseUnshareable(defaults: unknown): void {
  const problems: OptionProblem[] = [];
  checkShareable(defaults, 'pass it to the call', (path, message) => problems.push({ path, message }));
  if (problems.length > 0) throw new OptionsError(problems);
}
