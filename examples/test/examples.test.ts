import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { transpiled } from './transpiled.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the examples', () => {
  it('[K-1] one-shot prints the answer with the command of its page', async () => {
    expect(await node('--import', 'tsx', 'examples/one-shot.ts')).toEqual([
      'The coxswain steers the boat and sets the pace of the crew.',
    ]);
  });

  it('[G-5, K-1] session-store continues a conversation on another machine', async () => {
    expect(await run('session-store')).toEqual([
      'Aye. Ariel it is.',
      'She is called Ariel.',
      'The name of my boat is Ariel. (2 prompts, this conversation)',
    ]);
  });

  it('[G-8, K-1] parked-approval runs a tool after an answer over HTTP', async () => {
    expect(await run('parked-approval')).toEqual(['parked', 'Bash: {"command":"make deploy"}', 'It is deployed.']);
  });

  it('[K-1] structured-output prints the typed value', async () => {
    expect(await run('structured-output')).toEqual(['eight: 8 rowers and a coxswain']);
  });

  it('[K-1] errors distinguishes each failure', async () => {
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

  it('[K-1] streaming-text prints the answer and awaits the result afterwards', async () => {
    expect(await run('streaming-text')).toEqual(['Catch, drive, finish, recovery.', '1 turn, 0 warnings']);
  });

  it('[U-3] drop-in runs a program of the official SDK', async () => {
    expect(await run('drop-in')).toEqual(['Ariel has 8 seats, and is still there.', 'refused: Bash']);
  });

  it('[U-8] raw-session prints the frames of the CLI', async () => {
    const printed = await run('raw-session');
    expect(printed.slice(-3)).toEqual(['result', '0', 'string']);
    expect(printed).toContain('assistant');
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

  it('[K-1] interrupt ends one turn, cancels another, and continues', async () => {
    expect(await run('interrupt')).toEqual([
      expect.stringMatching(/^one two three\s*$/),
      'waiting: turn-cancelled',
      'counting: interrupted',
      'You stopped me while I was counting.',
    ]);
  });

  it('[K-1] guard-hook refuses denied calls, and all calls if the guard fails', async () => {
    expect(await run('guard-hook')).toEqual([
      'passed: ls',
      'refused: rm -rf build',
      'There is a folder build, but I may not remove it.',
      'guard broke (Error: the policy server is down): block',
      'I may not even look.',
    ]);
  });

  it('[K-1] permissions calls the callback only if no rule decides', async () => {
    expect(await run('permissions')).toEqual([
      'asked: Write',
      'asked: Bash',
      'I have read the notes and written oars.md. The rest was not permitted.',
    ]);
  });

  it('[K-1] in-process-tool calls the function only with a valid input', async () => {
    expect(await run('in-process-tool')).toEqual([
      'split(2000 m, 360 s) = 90 s',
      'refused an input that does not fit the schema',
      'A 2000 m race in six minutes is a split of 1:30.',
    ]);
  });

  it('[K-1, A-2] restarting-session continues when its CLI dies', async () => {
    expect(await run('restarting-session')).toEqual([
      'Aye. Ariel it is.',
      'cut off after: Catch, drive',
      'the CLI died (SIGKILL), attempt 1',
      'resumed',
      'Catch, drive, finish, recovery.',
      'She is called Ariel.',
      '1 restart, running',
    ]);
  });

  it('[M-8] costs reports the cost of each turn, even after a resume, and of a cancelled job', async () => {
    expect(await run('costs')).toEqual([
      expect.stringMatching(/^ann: \$0\.010 for \d+ tokens$/),
      expect.stringMatching(/^ann: \$0\.010 for \d+ tokens$/),
      'the session: $0.020',
      expect.stringMatching(/^ann: \$0\.010 for \d+ tokens$/),
      'cancelled, $0.000',
      'bob: $0.000 for 0 tokens',
      'Aye.',
      expect.stringMatching(/^ann: \$0\.010 for \d+ tokens$/),
      expect.stringMatching(/^claude-\S+: \d+ output tokens$/),
    ]);
  });

  it('[K-1, O-5] client-defaults: a call takes precedence over the client, hooks are merged, and a lost guard causes a warning', async () => {
    expect(await run('client-defaults')).toEqual([
      'warning: permission-denied',
      'claude-sonnet-5-5',
      'warning: permission-denied',
      'claude-haiku-5-5',
      "{ TEAM: 'blue', STAGE: 'live' }",
      'warning: guard-replaced',
      'asked: Bash',
      'asked: Bash',
      'warning: permission-denied',
    ]);
  });

  it('[D-1] sessions-on-disk lists, reads, renames, forks, tags, archives and deletes', async () => {
    const lines = await run('sessions-on-disk');
    expect(lines.slice(0, 2).sort()).toEqual([
      'Which oars are the longest? (/home/me/boathouse, main)',
      'Why does the build fail? (/home/me/boathouse, main)',
    ]);
    expect(lines.slice(2, 7)).toEqual([
      'user: Why does the build fail?',
      'assistant: Let me see.',
      'user: Fix it.',
      'assistant: Let me see.',
      'The build (fork)',
    ]);
    // In the order of their last changes.
    expect(lines.slice(7, -1).sort()).toEqual([
      'The build (fork) undefined true',
      'The build ci undefined',
      'Which oars are the longest? undefined undefined',
    ]);
    expect(lines.at(-1)).toBe('gone');
  });

  it('[K-1, A-4] pool: keys share processes and survive eviction and a crash, and permissions are answered later', async () => {
    expect(await run('pool')).toEqual([
      'Aye.',
      ...['ann', 'bob', 'ann', 'cid', 'ann'].map((key) => `${key} Row!`),
      'Ariel 8',
      'process SIGKILL',
      'true',
      'cancelled by cancel',
      'Write for ann',
      'Logged.',
      'Write allow',
      '{ finished: 11, failed: 1, cancelled: 1 } 0 1',
      'closed',
    ]);
  });

  it('[V-1] open-telemetry prints the tree of a trace', async () => {
    const lines = (await run('open-telemetry')).map((line) => line.replace(/ \(\d+ ms\)/, ''));
    expect(lines).toEqual([
      'Two tests fail.',
      'POST /review',
      expect.stringMatching(/^ {2}invoke_agent claude-code \$0\.\d{4}$/),
      '    chat claude-opus-5-5',
      '    execute_tool Agent',
      '      invoke_agent general-purpose',
      '        chat claude-opus-5-5',
      '        execute_tool Grep',
      '    chat claude-opus-5-5',
      '    execute_tool Write',
      '      coxswain.permission allow',
      '    chat claude-opus-5-5',
      '    execute_tool Bash ! tool_error',
      '      coxswain.permission allow',
      '    chat claude-opus-5-5',
    ]);
  });

  it('[K-3] record-replay replays its recording, and reports where a run differs', async () => {
    expect(await run('record-replay')).toEqual([
      'asked about Write',
      'recorded: It is written.',
      'asked about Write',
      'played: It is written.',
      'not played: 0',
      'mismatch in line 4: message.content',
    ]);
  });

  it('[A-1] custom-transport runs the CLI through a shell', async () => {
    expect(await run('custom-transport')).toEqual(['This is ariel.', '0']);
  });

  it('[K-1] the demo has a guard, a permission, its own tool, a crash and a recovery, and an interrupt; in a pipe it continues without input and without escape codes', async () => {
    const lines = await run('demo');
    expect(lines).toContain('A wrong rate at the start. Tidy up, look at the tests, then at the code that counts.');
    expect(lines).toContain('▸ Bash rm -rf build → Only the tests run here. ← denied by a hook');
    expect(lines).toContain('▸ Bash npm test -- rate → 1 failed, 41 passed: rate is NaN at 0 s');
    expect(lines).toContainEqual(
      expect.stringMatching(/^▸ boathouse\/last_race Ariel → .* ← a function of this program$/),
    );
    expect(lines).toContain('? May it use Edit? Press y or n.');
    expect(lines).toContain('  yes (no terminal, so the demo answers)');
    expect(lines).toContain('  Edit src/stroke-rate.ts → one line changed ← you were asked');
    const death = lines.indexOf('✗ the CLI was killed in the middle of its answer');
    expect(
      lines
        .slice(death - 1)
        .filter(Boolean)
        .slice(0, 5),
    ).toEqual([
      'It was src/',
      '✗ the CLI was killed in the middle of its answer',
      '↻ a new CLI has resumed the conversation; the prompt is sent again',
      '› Which file was it?',
      'It was src/stroke-rate.ts: the rate is computed there.',
    ]);
    expect(lines).toContain('– interrupted · $0.0000');
    expect(lines[0]).toBe('');
    expect(lines[1]).toMatch(/^› The stroke rate is wrong/);
    expect(lines.at(-1)).toMatch(/^3 turns, 2 processes, one conversation/);
    // Nothing but printable characters and line ends: a pipe gets no colours.
    expect(lines.join('\n')).toMatch(/^[\P{Cc}\n]*$/u);
  });

  it('[I-1] demo-ui serves the inspector with its agents', async () => {
    const lines = await node('--import', 'tsx', 'examples/demo-ui.ts', '--once');
    expect(lines).toEqual([
      expect.stringMatching(/^Open http:\/\/127\.0\.0\.1:\d+\/#token=/),
      'The page is available: 200',
    ]);
  });
});

/** Runs an example and returns its output, line by line; it must succeed and write nothing to stderr. */
async function run(name: string): Promise<string[]> {
  return node(await transpiled(new URL(`../${name}.ts`, import.meta.url)));
}

function node(...argv: string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, argv, { cwd: root, timeout: 50_000 }, (error, stdout, stderr) => {
      if (error || stderr !== '') reject(error ?? new Error(stderr));
      else resolve(stdout.trimEnd().split('\n'));
    });
  });
}
