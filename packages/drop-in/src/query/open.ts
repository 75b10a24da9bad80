import type { SDKUserMessage } from '../declarations/messages.ts';
import type { Options } from '../declarations/options.ts';
import type { Query, WarmQuery } from '../declarations/query.ts';
import { classified } from '../errors.ts';
import { checkOptions } from '../start/check-options.ts';
import { warnOfUnknown } from '../start/tuning.ts';
import { LiveQuery } from './query.ts';
import { warnOfShadowedCallback } from './shadowed.ts';

/** Starts the CLI and sends it the prompt. @throws Error, AbortError */
export function query({
  prompt,
  options = {},
}: {
  prompt: string | AsyncIterable<SDKUserMessage>;
  options?: Options;
}): Query {
  const started = open(options);
  started.begin(prompt);
  return started;
}

/** Starts the CLI, so that a later prompt is answered sooner. Rejects if the CLI does not answer in time. */
export async function startup({
  options = {},
  initializeTimeoutMs = 60_000,
}: {
  options?: Options;
  initializeTimeoutMs?: number;
} = {}): Promise<WarmQuery> {
  const warm = open(options, initializeTimeoutMs);
  await ready(warm, initializeTimeoutMs);
  let used = false;
  return {
    query: (prompt) => {
      if (used) throw new Error('WarmQuery.query() can only be called once');
      used = true;
      warm.begin(prompt);
      return warm;
    },
    close: () => {
      if (!used) warm.close();
      used = true;
    },
    [Symbol.asyncDispose]: async () => {
      const unused = !used;
      used = true;
      if (unused) await warm[Symbol.asyncDispose]();
    },
  };
}

/** Starts a query without a prompt. */
export function open(given: Options | null, initializeTimeoutMs?: number): LiveQuery {
  // Programs in JavaScript pass null.
  const options = given ?? {};
  checkOptions(options);
  warnOfUnknown(options);
  warnOfShadowedCallback(options);
  return new LiveQuery(options, initializeTimeoutMs);
}

/** Resolves when the CLI has answered the handshake; otherwise ends it and rejects. */
export async function ready(warm: LiveQuery, timeoutMs: number): Promise<void> {
  try {
    await warm.initializationResult();
  } catch (error) {
    warm.close();
    const late = error instanceof Error && 'code' in error && error.code === 'initialization-timeout';
    if (!late) throw error;
    const why = 'Slow hooks, MCP servers, plugins or a busy machine delay it: raise initializeTimeoutMs.';
    const message = `Subprocess initialization did not complete within ${timeoutMs}ms`;
    throw classified(new Error(`${message}. ${why}`, { cause: error }), 'initialize_timeout', message);
  }
}
