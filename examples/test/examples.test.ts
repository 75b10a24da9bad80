import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the examples', () => {
  it('[K-1] one-shot prints the answer', async () => {
    expect(await run('one-shot')).toEqual(['The coxswain steers the boat and sets the pace of the crew.']);
  });

  it('[K-1] structured-output prints the typed value', async () => {
    expect(await run('structured-output')).toEqual(['eight: 8 rowers and a coxswain']);
  });

  it('[K-1] errors tells each failure apart', async () => {
    expect(await run('errors')).toEqual([
      'no CLI: cli-not-found',
      'bad options: maxTurns, timeoutMs',
      'no session: no-such-session',
      'turn limit: max-turns',
    ]);
  });

  it('[K-1] cancel stops a run in three ways', async () => {
    expect(await run('cancel')).toEqual([
      'left the loop: the CLI was interrupted',
      'aborted: changed my mind',
      'too late: timeoutMs ran out after 300 ms',
    ]);
  });

  it('[K-1] the demo shows words, thoughts, tools with their outcome, cost and time, and no escape codes in a pipe', async () => {
    const lines = await run('demo');
    const shown = lines.join('\n');
    expect(lines[0]).toMatch(/^> One test fails/);
    expect(lines).toContain(
      'A failing test and a hint: the rate. First see what fails, then read the code that counts.',
    );
    expect(lines).toContain('▸ Bash npm test → 1 failed, 41 passed: stroke rate is 0 at the start');
    expect(lines).toContain('▸ Bash npm test → 42 passed');
    expect(lines.at(-1)).toMatch(/^✓ completed · 5 tool calls · \$0\.0184 · \d+\.\d s$/);
    // Nothing but printable characters and line ends: a pipe gets no colours.
    expect(shown).toMatch(/^[\P{Cc}\n]*$/u);
  });
});

/** What an example prints, line by line; it must end well and say nothing on stderr. */
function run(name: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const argv = ['--import', 'tsx', `examples/${name}.ts`];
    execFile(process.execPath, argv, { cwd: root, timeout: 12_000 }, (error, stdout, stderr) => {
      if (error || stderr !== '') reject(error ?? new Error(stderr));
      else resolve(stdout.trimEnd().split('\n'));
    });
  });
}
