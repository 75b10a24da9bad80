import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measuredInputs } from './measured-inputs.ts';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const here = fileURLToPath(new URL('./', import.meta.url));
const hooks = fileURLToPath(new URL('../../src/hooks', import.meta.url));

const compilers = [
  ['5.9', 'tools/node_modules/typescript-5.9'],
  ['6', 'node_modules/typescript'],
  ['7', 'tools/node_modules/typescript-7'],
] as const;

/** Declaration merging changes a whole program, so it is compiled in one of its own. */
const augmented = `
import type { Hooks } from '${hooks}/events.ts';
import { deny, stop } from '${hooks}/outcome.ts';
declare module '${hooks}/tool-inputs.ts' {
  interface ToolInputs { mcp__files__move: { readonly from: string; readonly to: string } }
}
declare module '${hooks}/inputs.ts' {
  interface HookInputs { MoonRose: { readonly hook_event_name: 'MoonRose'; readonly phase: number } }
}
export const merged: Hooks = {
  PreToolUse: (input) => (input.tool_name === 'mcp__files__move' ? deny(input.tool_input.from) : undefined),
  MoonRose: (input) => stop(input.phase.toFixed()),
};
`;

/** Each measured input as an object literal, so that the compiler minds missing and unlisted fields alike. */
const measured = [
  `import type { HookInputs } from '${hooks}/inputs.ts';`,
  ...measuredInputs.map(
    ({ input }, index) => `export const i${index}: HookInputs['${input.hook_event_name}'] = ${JSON.stringify(input)};`,
  ),
].join('\n');

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coxswain-hook-types-'));
  await writeFile(join(folder, 'augmented.ts'), augmented);
  await writeFile(join(folder, 'measured.ts'), measured);
  const base = join(here, '../types/tsconfig.json');
  const compilerOptions = { types: ['node'], typeRoots: [join(repository, 'node_modules/@types')], skipLibCheck: true };
  await project('plain', [join(here, 'narrowing.ts'), join(folder, 'measured.ts')]);
  await project('augmented', [join(folder, 'augmented.ts')]);

  function project(name: string, files: readonly string[]): Promise<void> {
    return writeFile(join(folder, `${name}.json`), JSON.stringify({ extends: base, compilerOptions, files }));
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(compilers)('the types of hooks on TypeScript %s', (_release, place) => {
  it('[H-1, M-7] follow the event, narrow by tool without a cast, and can be added to: tools and events', {
    timeout: 120_000,
  }, async () => {
    expect(await compile(place, 'plain', 'augmented')).toBe('');
  });
});

/** What the compiler objects to in any of these programs; built by one process, they share what they all read. */
function compile(place: string, ...names: readonly string[]): Promise<string> {
  const tsc = join(repository, place, 'bin', 'tsc');
  const projects = names.map((name) => join(folder, `${name}.json`));
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [tsc, '--build', '--force', '--pretty', 'false', ...projects],
      { timeout: 110_000 },
      (error, stdout, stderr) => resolve(stdout + stderr || (error === null ? '' : String(error))),
    );
  });
}
