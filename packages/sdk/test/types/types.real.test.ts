import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measuredInputs } from '../callbacks/measured-inputs.ts';
import { messagesOf, recordings } from '../messages/recordings.ts';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const here = fileURLToPath(new URL('./', import.meta.url));
const callbacks = fileURLToPath(new URL('../callbacks/', import.meta.url));
const source = fileURLToPath(new URL('../../src/callbacks', import.meta.url));

/**
 * A release, where its compiler is, and the programs it compiles. That messages need no types of Node is the same on all of
 * them, so the quickest shows it; the others, which take seconds for each program, compile messages and hooks as one.
 */
const compilers = [
  ['5.9', 'tools/node_modules/typescript-5.9', ['messages-and-hooks', 'augmented']],
  ['6', 'node_modules/typescript', ['messages-and-hooks', 'augmented']],
  ['7', 'tools/node_modules/typescript-7', ['messages', 'hooks', 'augmented']],
] as const;

/** Declaration merging changes a whole program, so it is compiled in one of its own. */
const augmented = `
import type { Hooks } from '${source}/hook-events.ts';
import { deny, stopTurn } from '${source}/decisions.ts';
declare module '${source}/tool-inputs.ts' {
  interface ToolInputs { mcp__files__move: { readonly from: string; readonly to: string } }
}
declare module '${source}/hook-inputs.ts' {
  interface HookInputs { MoonRose: { readonly hook_event_name: 'MoonRose'; readonly phase: number } }
}
export const merged: Hooks = {
  PreToolUse: (input) => (input.tool_name === 'mcp__files__move' ? deny(input.tool_input.from) : undefined),
  MoonRose: { newerEvent: true, run: (input) => stopTurn(input.phase.toFixed()) },
};
`;

/** Each measured input as an object literal, so that the compiler minds missing and unlisted fields alike. */
const measured = [
  `import type { HookInputs } from '${source}/hook-inputs.ts';`,
  ...measuredInputs.map(
    ({ input }, index) => `export const i${index}: HookInputs['${input.hook_event_name}'] = ${JSON.stringify(input)};`,
  ),
].join('\n');

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coxswain-types-'));
  const written = (name: string): string => join(folder, name);
  await writeFile(written('recorded.ts'), recordedAsCode());
  await writeFile(written('augmented.ts'), augmented);
  await writeFile(written('measured.ts'), measured);
  const forMessages = [join(here, 'narrowing.ts'), written('recorded.ts')];
  const forHooks = [join(callbacks, 'narrowing.ts'), written('measured.ts')];
  const withNode = { types: ['node'], typeRoots: [join(repository, 'node_modules/@types')], skipLibCheck: true };
  await project('messages', forMessages, {});
  await project('hooks', forHooks, withNode);
  await project('messages-and-hooks', [...forMessages, ...forHooks], withNode);
  await project('augmented', [written('augmented.ts')], withNode);

  function project(name: string, files: readonly string[], compilerOptions: object): Promise<void> {
    const content = { extends: join(here, 'tsconfig.json'), compilerOptions, files };
    return writeFile(written(`${name}.json`), JSON.stringify(content));
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(compilers)('on TypeScript %s', (_release, place, programs) => {
  it('[M-7, M-1, M-2, H-1] messages narrow and fit every recording; hooks narrow by event and tool without a cast, reject misspelt events, and accept new tools and events', {
    timeout: 120_000,
  }, async () => {
    expect(await compile(place, programs)).toBe('');
  });
});

/** What the compiler objects to in any of these programs; built by one process, they share what they all read. */
function compile(place: string, programs: readonly string[]): Promise<string> {
  const tsc = join(repository, place, 'bin', 'tsc');
  const projects = programs.map((name) => join(folder, `${name}.json`));
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [tsc, '--build', '--force', '--pretty', 'false', ...projects],
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
