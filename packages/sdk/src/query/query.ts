import { OptionsError } from '../errors/options.ts';
import { defaultLimits } from '../limits.ts';
import type { QueryOptions } from '../options/groups.ts';
import { type ResolvedQuery, resolveQuery } from '../options/resolve.ts';
import type { UserContent } from '../wire/messages.ts';
import { type QueryStream, RunStream } from './query-stream.ts';
import { QueryRun } from './run.ts';

/**
 * Asks Claude Code one thing. The process starts at once; the stream yields its messages as they come.
 * Never throws: what is wrong with the options or the start comes with the first pull, or from `started`.
 */
export function query<T = unknown>(prompt: string | UserContent, options: QueryOptions<T> = {}): QueryStream<T> {
  return queryWith(prompt, [options]);
}

/** The same with layers of options, the strongest first. */
export function queryWith<T>(prompt: string | UserContent, layers: readonly QueryOptions<T>[]): QueryStream<T> {
  const host = { platform: process.platform, uid: process.getuid?.(), env: process.env };
  try {
    return new RunStream(new QueryRun<T>(resolveQuery<T>(prompt, layers, host)));
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    return new RunStream(new QueryRun<T>(NOTHING_TO_RUN as ResolvedQuery<T>, error));
  }
}

/** Stands in for options that could not be resolved: only the refusal is ever read from such a run. */
const NOTHING_TO_RUN: ResolvedQuery = { prompt: '', options: {}, limits: defaultLimits, warnings: [], secrets: [] };
