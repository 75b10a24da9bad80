import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

const DIST = new URL('../../packages/sdk/dist/', import.meta.url).href;

/** Runs a program that uses the built package, in an empty environment. */
function run(program: string): { status: number | null; stderr: string } {
  const home = mkdtempSync(join(tmpdir(), 'coxswain-uncaught-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const source = [
    `import { openSession, query } from '${DIST}index.mjs';`,
    `import { CliNotFoundError } from '${DIST}errors.mjs';`,
    program,
  ].join('\n');
  return spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home },
    encoding: 'utf8',
    timeout: 14_000,
    killSignal: 'SIGKILL',
  });
}

describe('an uncaught error of the built package', () => {
  it.each([
    ['of a query', "await query('hi', { cli: '/nowhere' }).result();", 'CliNotFoundError'],
    ['of a query’s loop', "for await (const _ of query('hi', { cli: '/nowhere' }));", 'CliNotFoundError'],
    ['of a session', "await openSession({ cli: '/nowhere' }).ready;", 'CliNotFoundError'],
    ['of options', "await query('hi', { maxTurns: -1 }).text();", 'OptionsError'],
  ])('[E-2] %s is shown by Node without pages of code', (_, program, name) => {
    const { status, stderr } = run(program);
    expect(status).toBe(1);
    expect(stderr).toContain(name);
    expect(Buffer.byteLength(stderr)).toBeLessThan(5_000);
  });

  it('[C-3, E-2] about a missing CLI starts with what to do, and names each place once', () => {
    const places = Array.from({ length: 18 }, (_, at) => ({ place: `/folder${at}/claude`, reason: 'does not exist' }));
    const { stderr } = run(`throw new CliNotFoundError(${JSON.stringify(places)});`);
    const [, words = ''] = stderr.split('CliNotFoundError: ');
    expect(words).toMatch(
      /^The Claude Code CLI was not found\. Install it \(npm install -g @anthropic-ai\/claude-code\)/,
    );
    expect(words.match(/\/folder\d+\/claude/g)).toEqual(places.map(({ place }) => place));
    expect(words.split('\n').length).toBeLessThan(40);
  });
});
