import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClientPlaces, stagedClients } from '../../clients/install.mjs';
import { COMPILER_TEST_MS, type Compiler, compile } from './declared/compile.ts';

const PROGRAMS = 'wrong-uses';
/** It imports the optional peer itself. */
const WITH_PEER = 'api-types.ts';

/** `moduleResolution: node10` is an error in TypeScript 7. */
const SETTINGS: Readonly<Record<string, { module: string; compiler: Compiler }>> = {
  nodenext: { module: 'nodenext', compiler: 'typescript-7' },
  node16: { module: 'node16', compiler: 'typescript-7' },
  bundler: { module: 'esnext', compiler: 'typescript-7' },
  node10: { module: 'esnext', compiler: 'typescript-5.9' },
};

const places: ClientPlaces = stagedClients('node-20');
const programs = readdirSync(join(places.official, PROGRAMS)).filter((name) => name.endsWith('.ts'));

const LONG = { timeout: COMPILER_TEST_MS };

describe.each(Object.entries(SETTINGS))('[U-9] with moduleResolution %s', (moduleResolution, { module, compiler }) => {
  test.each(Object.entries(places))('the %s package refuses only the wrong lines', LONG, async (_name, place) => {
    expect(programs.length).toBeGreaterThanOrEqual(20);
    const project = { module, moduleResolution, skipLibCheck: true };
    expect(await refusedLines(place, programs, project, compiler)).toEqual(wrongLines(programs));
  });
});

describe('[U-9] without the optional peers and without coxswain', () => {
  let place: string;
  beforeAll(() => {
    place = placeWithoutPeers();
  });
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  test.each(Object.entries(SETTINGS))(
    'nothing is any, and the declarations have no errors: %s',
    LONG,
    async (moduleResolution, settings) => {
      const used = programs.filter((name) => name !== WITH_PEER);
      const project = { module: settings.module, moduleResolution, skipLibCheck: false };
      expect(await refusedLines(place, used, project, settings.compiler)).toEqual(wrongLines(used));
    },
  );
});

/** The lines on which the compiler reports an error, as `file:line`; an error elsewhere as the compiler reports it. */
async function refusedLines(
  place: string,
  files: readonly string[],
  options: object,
  compiler: Compiler,
): Promise<string[]> {
  const name = 'wrong-uses.json';
  const compilerOptions = {
    ...options,
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable', 'dom'],
    types: ['node'],
    esModuleInterop: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
  };
  writeFileSync(
    join(place, name),
    JSON.stringify({ compilerOptions, files: files.map((file) => join(PROGRAMS, file)) }),
  );
  const errors = (await compile(place, name, compiler)).filter((line) => !line.startsWith(' '));
  return [
    ...new Set(errors.map((error) => /^wrong-uses\/([\w-]+\.ts)\((\d+),/.exec(error)?.slice(1).join(':') ?? error)),
  ].sort();
}

/** The lines that end with `// wrong`. */
function wrongLines(files: readonly string[]): string[] {
  return files
    .flatMap((file) => {
      const lines = readFileSync(join(places.official, PROGRAMS, file), 'utf8').split('\n');
      return lines.flatMap((line, index) => (line.endsWith('// wrong') ? [`${file}:${index + 1}`] : []));
    })
    .sort();
}

/** A folder with the drop-in, its dependency on the MCP SDK and zod, which the programs use. */
function placeWithoutPeers(): string {
  const place = mkdtempSync(join(tmpdir(), 'coxswain-peers-'));
  const modules = join(place, 'node_modules');
  for (const scope of ['@anthropic-ai', '@modelcontextprotocol']) mkdirSync(join(modules, scope), { recursive: true });
  const copied = '@anthropic-ai/claude-agent-sdk';
  cpSync(join(places.dropIn, 'node_modules', copied), join(modules, copied), { recursive: true });
  for (const name of ['@modelcontextprotocol/sdk', 'zod'])
    symlinkSync(join(places.dropIn, 'node_modules', name), join(modules, name));
  cpSync(join(places.official, PROGRAMS), join(place, PROGRAMS), { recursive: true });
  writeFileSync(join(place, 'package.json'), JSON.stringify({ type: 'module' }));
  return place;
}
