import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ndjson, runCox, runShell } from '../run-cox.ts';
import { cox } from '../terminal/pty.ts';

const ANSWER = [
  'I will run the tests first.',
  'One failure, in the stroke rate. Let me read it.',
  'At the start no time has passed, so it divides zero by zero. The rate should be unknown until the first stroke.',
  'I am not allowed to change the file. The fix is one line: return no rate until time has passed.',
];

describe.concurrent('cox run in pipes', () => {
  it('[L-1, L-2] puts the answer on stdout and everything else on stderr, without an escape code', async () => {
    const { stdout, stderr, code } = await runCox(['run', '--demo']);
    expect(stdout).toBe(`${ANSWER.join('\n')}\n`);
    expect(stderr).toMatch(/^∴ thought: A failing test/);
    expect(stderr).toContain('✗ Bash npm test → 1 failed, 41 passed: stroke rate is 0 at the start\n');
    expect(stderr).toMatch(/^✓ completed · .* · 4 tool calls · \d+ tokens · \$0\.0184$/m);
    expect(stdout + stderr).toMatch(/^[\P{Cc}\n]*$/u);
    expect(code).toBe(0);
  });

  it('[L-2] denies a call without asking if there is no terminal, and shows how to allow it', async () => {
    const { stderr } = await runCox(['run', '--demo']);
    expect(stderr).toMatch(/✗ Edit src\/stroke-rate\.ts → not permitted: /);
    expect(stderr).toContain("1 tool call not permitted. To allow: --allow 'Edit'\n");
    const allowed = await runCox(['run', '--demo', '--allow', 'Edit']);
    expect(allowed.stderr).toMatch(/✓ Edit src\/stroke-rate\.ts → /);
    expect(allowed.stderr).not.toContain('not permitted');
  });

  it('[L-1] prints messages as NDJSON with --json, then one line about the end', async () => {
    const { stdout, stderr, code } = await runCox(['run', '--demo', '--json']);
    const lines = ndjson(stdout);
    expect(lines.slice(0, -1).map(({ seq }) => seq)).toEqual(lines.slice(0, -1).map((_, at) => at));
    expect(lines.map(({ kind }) => kind)).toContain('warning');
    expect(lines.filter(({ kind }) => kind === 'message').at(-1)).toMatchObject({ message: { type: 'result' } });
    expect(lines.at(-1)).toMatchObject({
      kind: 'result',
      ok: true,
      outcome: { kind: 'completed', text: ANSWER[3] },
      costUsd: 0.0184,
      permissionDenials: [{ tool_name: 'Edit' }],
      sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      exitCode: 0,
    });
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it('[L-2] prints only the answer with --quiet', async () => {
    expect(await runCox(['run', '--demo', '--quiet'])).toEqual({ stdout: `${ANSWER[3]}\n`, stderr: '', code: 0 });
  });

  it('[L-1] takes the prompt from a pipe, alone or after the arguments', async () => {
    const alone = await runCox(['run', '--demo', '-q'], { stdin: 'What did you change?' });
    expect(alone.stdout).toMatch(/^I read src\/stroke-rate\.ts/);
    const piped = `printf 'what did you change?' | ${cox('run', '--demo', '-q', 'Tell me:')}`;
    expect((await runShell(['sh', '-c', piped])).stdout).toMatch(/^I read src\/stroke-rate\.ts/);
  });

  it('[L-1] prints only JSON on stdout with --schema', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cox-schema-'));
    try {
      const schema = join(folder, 'schema.json');
      await writeFile(schema, JSON.stringify({ type: 'object', properties: { fixed: { type: 'boolean' } } }));
      const { stdout, code } = await runCox(['run', '--demo', '--schema', schema, 'as json']);
      expect(JSON.parse(stdout)).toEqual({ file: 'src/stroke-rate.ts', fixed: true });
      expect(code).toBe(0);
      await writeFile(schema, '[]');
      const bad = await runCox(['run', '--demo', '--schema', schema, 'as json']);
      expect(bad).toMatchObject({ stdout: '', code: 2, stderr: expect.stringContaining('is not a JSON Schema') });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('[L-1, L-2] fails with --schema if the model returns no JSON', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cox-schema-'));
    try {
      const schema = join(folder, 'schema.json');
      await writeFile(schema, '{"type":"object"}');
      const none = await runCox(['run', '--demo', '--quiet', '--schema', schema, 'What did you change?']);
      expect(none).toMatchObject({ stdout: '', code: 1, stderr: expect.stringMatching(/^✗ structured-output: /) });
      const json = await runCox(['run', '--demo', '--json', '--schema', schema, 'What did you change?']);
      expect(ndjson(json.stdout).at(-1)).toMatchObject({
        ok: false,
        outcome: { kind: 'structured-output' },
        exitCode: 1,
      });
      expect(json.code).toBe(1);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('[L-2] prints no error if its reader closes the pipe', async () => {
    const script = `set -o pipefail; ${cox('run', '--demo', 'count')} 2>err.txt | head -c 5; echo " $?"; grep -v '^$' err.txt; rm err.txt`;
    const folder = await mkdtemp(join(tmpdir(), 'cox-pipe-'));
    const { stdout } = await runShell(['bash', '-c', script], { cwd: folder });
    await rm(folder, { recursive: true });
    expect(stdout).toBe('1 2 3 0\n');
  });

  it('[L-2] exits with 2 for wrong usage and reports what is wrong, with nothing on stdout', async () => {
    const wrong = [
      [['run'], 'No prompt'],
      [['run', '--max-turns', 'many', 'x'], '--max-turns'],
      [['run', '--timeout', '0', 'x'], '--timeout'],
      [['run', '--resume', 'a', '--continue', 'x'], 'cannot be combined'],
      [['run', '--fork', 'x'], '--fork needs'],
      [['run', '--cli-version', '9.9.9', 'x'], '--cli-version chooses the release for --cli pinned'],
      [['run', '--no-such-flag', 'x'], "unknown option '--no-such-flag'"],
      [['dance'], "unknown command 'dance'"],
      [['run', '--demo', '--effort', '', 'x'], '--effort: '],
      [['run', '--permission-mode', 'yolo', '--cli', '/no/such/claude', 'x'], "argument 'yolo' is invalid"],
      [['chat', '--permission-mode', 'yolo'], "argument 'yolo' is invalid"],
    ] as const;
    const ends = await Promise.all(wrong.map(([args]) => runCox(args)));
    expect(ends).toEqual(
      wrong.map(([, message]) => ({ stdout: '', code: 2, stderr: expect.stringContaining(message) })),
    );
  });

  it('[L-2] exits with 1 for a failure, and prints the next step', async () => {
    const missing = await runCox(['run', '--cli', '/no/such/claude', 'x']);
    expect(missing).toMatchObject({ stdout: '', code: 1 });
    expect(missing.stderr).toContain('/no/such/claude (does not exist)');
    expect(missing.stderr).toContain('`cox doctor` shows');
    expect(missing.stderr).toContain('use --cli pinned');
    const limited = await runCox(['run', '--demo', '--max-turns', '1']);
    expect(limited.code).toBe(1);
    expect(limited.stderr).toMatch(/^✗ max-turns: /m);
    expect(limited.stderr).toMatch(/Raise --max-turns, or continue it: cox run --resume \S+ "continue"/);
    const json = await runCox(['run', '--cli', '/no/such/claude', '--json', 'x']);
    expect(ndjson(json.stdout)).toMatchObject([{ kind: 'failure', error: { code: 'cli-not-found' }, exitCode: 1 }]);
  });

  it('[L-2] prints debug output on stderr with --debug', async () => {
    const { stdout, stderr } = await runCox(['run', '--demo', '--debug', 'What did you change?']);
    expect(stdout).toMatch(/^I read [^\n]*\n$/);
    expect(stderr).toMatch(/^debug event: \{.*"type":"turn-started"/m);
  });
});

describe.concurrent('cox chat in pipes', () => {
  it('[L-1, L-2] treats each line as a turn and shows no prompt', async () => {
    const { stdout, stderr, code } = await runCox(['chat', '--demo'], {
      stdin: 'What did you change?\n/cost\nagain\n',
    });
    expect(stdout.match(/^I read/gm)).toHaveLength(2);
    expect(stderr).toContain('$0.0031 so far');
    expect(stderr).toContain('($0.0062 in total)');
    expect(stderr).not.toContain('›');
    expect(code).toBe(0);
  });
});
