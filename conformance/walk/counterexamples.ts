import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WalkReport } from './run-walk.ts';
import type { Walk } from './steps.ts';

/** A walk that failed once, what it showed, and where. */
export interface Counterexample {
  readonly shows: string;
  readonly releases: readonly string[];
  readonly walk: Omit<Walk, 'release'>;
}

const FOLDER = fileURLToPath(new URL('./counterexamples/', import.meta.url));

/** The saved walks that the tests repeat, each with the name of its file. */
export function keptCounterexamples(): (Counterexample & { readonly name: string })[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  return files.sort().map((file) => ({ name: file.replace(/\.json$/, ''), ...readCounterexample(join(FOLDER, file)) }));
}

/** Reads a counterexample from any path. */
export function readCounterexample(path: string): Counterexample {
  // Written by `writeCounterexample`, or by hand in the same form.
  return JSON.parse(readFileSync(path, 'utf8')) as Counterexample;
}

/** The walks of a counterexample, one for each release. */
export function walksFrom({ releases, walk }: Counterexample): Walk[] {
  return releases.map((release) => ({ ...walk, release }));
}

/** Writes a counterexample into a folder, and returns its path. */
export function writeCounterexample(folder: string, { walk: { release, ...walk }, violations }: WalkReport): string {
  const shows = violations[0] ? `${violations[0].rule}: ${violations[0].detail}` : '';
  const path = join(folder, `${walk.kind}-${release}-seed-${walk.seed}.json`);
  const example: Counterexample = { shows, releases: [release], walk };
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, `${JSON.stringify(example, null, 2)}\n`);
  return path;
}
