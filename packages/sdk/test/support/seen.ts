import { expect } from 'vitest';
import { ORDINARY, type Run, say } from './say.ts';

/** The surroundings of the fixture CLI. */
export interface Seen {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
}

/** Runs a query whose CLI reports its surroundings. */
export async function seenBy(options: Parameters<typeof say>[1] = {}): Promise<Seen & { run: Run }> {
  const run = say([{ seen: true }, ...ORDINARY], options);
  const { messages: items, terminalError } = await run.stream.collect();
  expect(terminalError).toBeUndefined();
  return { ...(items[0] as unknown as Seen), run }; // The step `seen` prints it.
}
