import { readdirSync, readFileSync } from 'node:fs';
import type { Message, ResultMessage } from '../../src/wire/messages.ts';

const folder = new URL('../fixtures/recordings/', import.meta.url);

/** The names of all recordings: `A-oneshot-ok.325`. */
export const recordings: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith('.ndjson'))
  .map((file) => file.slice(0, -'.ndjson'.length));

/** The lines the CLI wrote to stdout in a recording. */
export function linesOf(name: string): readonly string[] {
  return readFileSync(new URL(`${name}.ndjson`, folder), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { dir: string; line: string })
    .filter(({ dir }) => dir === 'out')
    .map(({ line }) => line);
}

/** The messages of a recording, without control frames and invalid lines. */
export function messagesOf(name: string): readonly Message[] {
  return linesOf(name)
    .map((line): unknown => JSON.parse(line))
    .filter(isMessage);
}

/** The results of a recording, in order. */
export function resultsOf(name: string): readonly ResultMessage[] {
  return messagesOf(name).filter((message) => message.type === 'result');
}

/** The only result of a recording. */
export function resultOf(name: string): ResultMessage {
  const [result, ...more] = resultsOf(name);
  if (result === undefined || more.length > 0) throw new Error(`${name} has ${more.length + 1} results, not one`);
  return result;
}

/** The values as a stream. */
export async function* streamOf<T>(values: Iterable<T>): AsyncGenerator<T, void, undefined> {
  yield* values;
}

/** All values of a stream. */
export async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of stream) values.push(value);
  return values;
}

function isMessage(value: unknown): value is Message {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  return typeof value.type === 'string' && !value.type.startsWith('control_');
}
