import { OptionsError } from '../errors/options.ts';
import type { QueryOptions, SessionOptions } from '../options/groups.ts';
import { isConnectable } from '../options/sdk-server.ts';
import { queryWith } from '../query/query.ts';
import type { QueryStream } from '../query/query-stream.ts';
import { openSessionWith } from '../session/open.ts';
import type { Session } from '../session/session.ts';
import type { UserContent } from '../wire/messages.ts';

/** The options that every query and session of a client starts from. */
export type ClientDefaults = Omit<
  QueryOptions,
  'signal' | 'sessionId' | 'resume' | 'resumeAt' | 'continue' | 'forkSession'
>;

/** Queries and sessions that share defaults. */
export interface Client {
  /** Like `query`, with the client's defaults below the call's options. */
  query<T = unknown>(prompt: UserContent, options?: QueryOptions<T>): QueryStream<T>;
  /** Like `openSession`. */
  openSession<T = unknown>(options?: SessionOptions<T>): Session<T>;
  /** Like `startSession`. @throws the start error */
  startSession<T = unknown>(options?: SessionOptions<T>): Promise<Session<T>>;
}

/**
 * Makes a client. A call's options go before the client's, these before the environment (`COXSWAIN_*`) and the defaults;
 * `env`, `mcpServers`, `agents`, `hooks` and `limits` are merged by key, lists replace each other.
 * @throws OptionsError for a tool server that only one session at a time can use
 */
export function createClient(defaults: ClientDefaults = {}): Client {
  refuseSingleServers(defaults);
  // What a call's own schema makes of T is not the client's affair.
  const layers = <T>(options: QueryOptions<T>): readonly QueryOptions<T>[] => [options, defaults as QueryOptions<T>];
  return {
    query: (prompt, options = {}) => queryWith(prompt, layers(options)),
    openSession: (options = {}) => openSessionWith(layers(options)),
    async startSession(options = {}) {
      const session = openSessionWith(layers(options));
      await session.ready;
      return session;
    },
  };
}

function refuseSingleServers({ mcpServers = {} }: ClientDefaults): void {
  const problems = Object.entries(mcpServers).flatMap(([name, server]) =>
    isConnectable(server)
      ? [
          {
            path: `mcpServers.${name}`,
            message: 'is one server, which one session at a time can use: give { create: () => server } instead.',
          },
        ]
      : [],
  );
  if (problems.length > 0) throw new OptionsError(problems);
}
