import { hostFacts } from '../launch/host-facts.ts';
import { copied, snapshot } from '../options/copied.ts';
import type { QueryOptions } from '../options/groups.ts';
import type { QueryStream } from '../query/query-stream.ts';
import type { UserContent } from '../wire/messages.ts';
import { Late } from './late.ts';
import { LateQuery } from './late-query.ts';
import { engine } from './part.ts';

/**
 * Asks Claude Code one thing. The process starts at once; the stream yields its messages as they come.
 * Never throws: what is wrong with the options or the start comes with the first pull, or from `started`.
 */
export function query<T = unknown>(prompt: UserContent, options: QueryOptions<T> = {}): QueryStream<T> {
  return queryWith(prompt, [options]);
}

/** The same with layers of options, the strongest first. */
export function queryWith<T>(prompt: UserContent, layers: readonly QueryOptions<T>[]): QueryStream<T> {
  if (engine.loaded) return engine.loaded.queryWith(prompt, layers);
  const asked = snapshot(prompt);
  const asGiven = copied(layers);
  const host = hostFacts({ ...process.env });
  return new LateQuery(Late.of(engine.load(), (loaded) => loaded.queryWith(asked, asGiven, host)));
}
