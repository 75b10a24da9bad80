import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/json.ts';

/** A recorded run of the real CLI. */
export interface Recording {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly exitCode: number | null;
  readonly lines: readonly { readonly from: 'cli' | 'host'; readonly frame: JsonObject }[];
}

/** Reads a recording of 2.1.325. */
export function recording(name: string): Recording {
  const file = fileURLToPath(new URL(`../fixtures/recordings/${name}.325`, import.meta.url));
  const meta = JSON.parse(readFileSync(`${file}.meta.json`, 'utf8'));
  const text = readFileSync(`${file}.ndjson`, 'utf8');
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .map(({ dir, line }) => ({ from: dir === 'out' ? ('cli' as const) : ('host' as const), frame: JSON.parse(line) }));
  const env = Object.fromEntries(Object.entries(meta.env).map(([key, value]) => [key, value ?? undefined]));
  return { argv: meta.args, env: env as Recording['env'], exitCode: meta.exit.code, lines };
}
