import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messagesOf, recordings } from '../messages/recordings.ts';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const here = fileURLToPath(new URL('./', import.meta.url));

/** A release, where its compiler is, and where it is told to look. */
const compilers = [
  ['5.9', 'tools/node_modules/typescript-5.9'],
  ['6', 'node_modules/typescript'],
  ['7', 'tools/node_modules/typescript-7'],
] as const;

let folder = '';
let reports: Map<string, Promise<string>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coxswain-types-'));
  await writeFile(join(folder, 'recorded.ts'), recordedAsCode());
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(here, 'tsconfig.json'),
      files: [join(here, 'narrowing.ts'), join(folder, 'recorded.ts')],
    }),
  );
  reports = new Map(compilers.map(([release, place]) => [release, compile(place)]));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the types', () => {
  it.each(compilers.map(([release]) => release))(
    '[M-7, M-1, M-2] narrow, and fit every recorded message, on TypeScript %s',
    { timeout: 120_000 },
    async (release) => {
      expect(await reports.get(release)).toBe('');
    },
  );
});

/** What the compiler objects to. */
function compile(place: string): Promise<string> {
  const tsc = join(repository, place, 'bin', 'tsc');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [tsc, '-p', join(folder, 'tsconfig.json'), '--pretty', 'false'],
      { timeout: 110_000 },
      (error, stdout, stderr) => resolve(stdout + stderr || (error === null ? '' : String(error))),
    );
  });
}

/** One message of each shape as an object literal, so that the compiler minds missing and unlisted fields alike. */
function recordedAsCode(): string {
  const shapes = new Map<string, unknown>();
  for (const message of recordings.flatMap(messagesOf)) {
    const shape = JSON.stringify(shapeOf(message));
    if (!shapes.has(shape)) shapes.set(shape, message);
  }
  const literals = [...shapes.values()].map(
    (message, i) => `export const m${i}: Message = ${JSON.stringify(message)};`,
  );
  return `import type { Message } from ${JSON.stringify(join(here, 'subject.ts').replaceAll('\\', '/'))};\n${literals.join('\n')}\n`;
}

/** Names of fields and kinds of values, without the values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return [...new Set(value.map((element) => JSON.stringify(shapeOf(element))))].sort();
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  const entries = Object.entries(value).map(([name, field]) => [
    name,
    name === 'type' || name === 'subtype' ? field : shapeOf(field),
  ]);
  return Object.fromEntries(entries.sort(([a], [b]) => String(a).localeCompare(String(b))));
}
