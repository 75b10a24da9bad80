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

  it('[K-1] streaming-text prints the answer and asks for the result afterwards', async () => {
    expect(await run('streaming-text')).toEqual(['Catch, drive, finish, recovery.', '1 turn, 0 warnings']);
  });

  it('[K-1] chat has several turns, each with its own cost', async () => {
    expect(await run('chat')).toEqual([
      'Aye. Ariel it is.',
      '  $0.010',
      'She is called Ariel.',
      '  $0.004',
      '(max-turns) Reached maximum number of turns (1)',
      '  $0.000',
    ]);
  });

  it('[K-1] interrupt ends one turn, takes another back, and goes on', async () => {
    expect(await run('interrupt')).toEqual([
      expect.stringMatching(/^one two three\s*$/),
      'waiting: turn-cancelled',
      'counting: interrupted',
      'You stopped me while I was counting.',
    ]);
  });

  it('[K-1] guard-hook refuses what its guard refuses, and everything when it breaks', async () => {
    expect(await run('guard-hook')).toEqual([
      'passed: ls',
      'refused: rm -rf build',
      'There is a folder build, but I may not remove it.',
      'guard broke (Error: the policy server is down): block',
      'I may not even look.',
    ]);
  });

  it('[K-1] permissions asks only about what no rule decides', async () => {
    expect(await run('permissions')).toEqual([
      'asked: Write',
      'asked: Bash',
      'I have read the notes and written oars.md. The rest was not permitted.',
    ]);
  });

  it('[K-1] in-process-tool calls the function only with an input that fits', async () => {
    expect(await run('in-process-tool')).toEqual([
      'split(2000 m, 360 s) = 90 s',
      'refused an input that does not fit the schema',
      'A 2000 m race in six minutes is a split of 1:30.',
    ]);
  });

  it('[K-1, O-5] client-defaults: a call goes before the client, hooks are merged', async () => {
    expect(await run('client-defaults')).toEqual([
      'warning: permission-denied',
      'claude-sonnet-5-5',
      'warning: permission-denied',
      'claude-haiku-5-5',
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
