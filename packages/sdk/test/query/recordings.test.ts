import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Collected } from '../../src/stream/items.ts';
import { linesOf, recordings } from '../messages/recordings.ts';
import { inMemory } from '../support/memory-transport.ts';

interface Recorded {
  readonly args: readonly string[];
  readonly exit: { readonly code: number | null; readonly sig: string | null };
  readonly killedByHarness: boolean;
  readonly stderr: string;
}

function recorded(name: string): Recorded {
  return JSON.parse(readFileSync(new URL(`../fixtures/recordings/${name}.meta.json`, import.meta.url), 'utf8'));
}

/** Recordings of the real CLI in one-shot mode with the output format of the SDK. */
const oneShots = recordings.filter((name) => {
  const { args, killedByHarness } = recorded(name);
  const isStream = args.includes('stream-json') && args.includes('--verbose') && !args.includes('--input-format');
  return isStream && !killedByHarness;
});

/** Collects a query on a recording. */
async function replay(name: string): Promise<Collected> {
  const { exit, stderr } = recorded(name);
  const { stream, transport } = inMemory();
  transport.print(
    linesOf(name)
      .map((line) => `${line}\n`)
      .join(''),
  );
  transport.errorOutput.push(Buffer.from(stderr));
  transport.output.end();
  transport.errorOutput.end();
  transport.exit(exit.code, exit.sig);
  return stream.collect();
}

const withResult = oneShots.filter((name) => linesOf(name).some((line) => JSON.parse(line).type === 'result'));
const without = oneShots.filter((name) => !withResult.includes(name));

describe('a recorded run of the real CLI', () => {
  it('[Q-4, Q-6, Q-8, W-6] with a result yields every message, warns only about retries, and has no error, whatever the outcome', async () => {
    expect(withResult.length).toBeGreaterThan(20);
    for (const name of withResult) {
      const messages = linesOf(name).map((line) => JSON.parse(line));
      const retries = messages.filter(({ subtype }) => subtype === 'api_retry');
      const warnings = retries.map(() => expect.objectContaining({ code: 'api-retry' }));
      expect({ name, ...(await replay(name)) }).toEqual({
        name,
        items: expect.any(Array),
        messages,
        warnings,
        errors: [],
      });
    }
  });

  it('[Q-5, Q-7] without a result fails with a ProcessError that quotes the CLI, or warns if the CLI exited with 0', async () => {
    expect(without.length).toBeGreaterThan(5);
    for (const name of without) {
      const { terminalError, warnings } = await replay(name);
      const { exit, stderr } = recorded(name);
      if (exit.code === 0) {
        expect({ name, warnings, terminalError }).toMatchObject({
          warnings: [{ code: 'clean-exit-no-result' }],
          terminalError: undefined,
        });
      } else {
        expect({ name, terminalError }).toMatchObject({
          terminalError: { code: 'process', exitCode: exit.code, stderrTail: stderr },
        });
        expect(terminalError?.message).toContain(stderr.trim());
      }
    }
  });
});
