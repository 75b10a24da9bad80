import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { runCox } from './run-cox.ts';
import { COX } from './terminal/pty.ts';

const COMMANDS = [
  [],
  ['run'],
  ['chat'],
  ['sessions'],
  ['record'],
  ['replay'],
  ['rehearse'],
  ['bisect'],
  ['prove'],
  ['ui'],
  ['fleet'],
  ['doctor'],
  ['init'],
  ['cli'],
  ['fleet', 'schedule'],
  ['fleet', 'grants'],
];

describe.concurrent('cox --help', () => {
  it.each(COMMANDS)('[L-2] is on stdout, with examples: cox %s', async (...words) => {
    const { stdout, stderr, code } = await runCox([...words, '--help']);
    expect(stdout).toContain(`Usage: ${['cox', ...words].join(' ')} `);
    expect(stdout).toMatch(/\nExamples:\n {2}cox /);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it('[L-2] lists the exit codes and the version', async () => {
    expect((await runCox(['--help'])).stdout).toContain('Exit codes: 0 ok, 1 failed, 2 wrong usage, 130 interrupted.');
    expect(await runCox(['--version'])).toEqual({ stdout: `${manifest.version}\n`, stderr: '', code: 0 });
  });

  it('[L-2] loads neither the SDK nor the prompts, which only some commands need', () => {
    expect([...packagesOf('cox.mjs')].sort()).toEqual(['commander']);
  });
});

describe('an option of cox run that is passed to cox', () => {
  it('[L-2] is refused with the command to use: cox --demo', async () => {
    const { stdout, stderr, code } = await runCox(['--demo']);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toContain("unknown option '--demo'\n(Did you mean cox run --demo?)\n");
    expect((await runCox(['--no-such-flag'])).stderr).not.toContain('cox run');
  });
});

/** The packages that a built file loads when it is imported. */
function packagesOf(file: string, seen = new Set<string>()): Set<string> {
  const packages = new Set<string>();
  if (seen.has(file)) return packages;
  seen.add(file);
  const source = readFileSync(join(dirname(COX), file), 'utf8');
  for (const [, name = ''] of source.matchAll(/^(?:import|export)[^;'"]*["']([^"']+)["'];/gm)) {
    if (name.startsWith('./')) for (const found of packagesOf(name.slice(2), seen)) packages.add(found);
    else if (!name.startsWith('node:')) packages.add(name);
  }
  return packages;
}
