import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../src/wire/kinds.ts';

/** The recorded input of a hook. */
export interface MeasuredInput {
  readonly release: string;
  readonly input: JsonObject & { readonly hook_event_name: string };
}

/**
 * One input of every shape that 2.1.197 and 2.1.325 sent when every event was triggered: recorded on 2026-11-15 on Linux x64
 * against the fake Messages API, with ids and paths rewritten.
 */
export const measuredInputs: readonly MeasuredInput[] = readFileSync(
  new URL('./measured-inputs.ndjson', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as MeasuredInput);

/** The newest release's input of an event. */
export function inputOf(event: string): MeasuredInput['input'] {
  const found = measuredInputs.findLast(({ input }) => input.hook_event_name === event);
  if (found === undefined) throw new Error(`No input of ${event} was measured.`);
  return found.input;
}
