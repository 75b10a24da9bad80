import { describe, expect, it } from 'vitest';
import { ProcessError } from '../../src/errors/stream.ts';
import { INIT, type Step, say } from '../support/say.ts';

async function failureOf(steps: readonly Step[], options: Parameters<typeof say>[1] = {}): Promise<ProcessError> {
  const error = await say(steps, options)
    .stream.result()
    .catch((reason: unknown) => reason);
  if (!(error instanceof ProcessError)) throw new Error(`Not a ProcessError: ${error}`);
  return error;
}

describe('an end without a result', () => {
  it('[Q-5, E-1] causes a ProcessError with all diagnostics', async () => {
    const error = await failureOf([
      { message: INIT },
      { out: 'Loading…\n' },
      { err: "error: unknown option '--frobnicate'\n" },
      { exit: 1 },
    ]);
    expect(error).toMatchObject({
      name: 'ProcessError',
      code: 'process',
      exitCode: 1,
      signal: null,
      stderrTail: "error: unknown option '--frobnicate'\n",
      stdoutWasEmpty: false,
      lastNonJsonLine: 'Loading…',
      result: undefined,
    });
    expect(error.hint).toMatch(/does not support one of its flags: .* Update it/);
    expect(error.message).toBe(
      `The CLI exited with code 1 without a result. It printed: error: unknown option '--frobnicate'. ${error.hint}`,
    );
    expect(error.toJSON()).toMatchObject({ code: 'process', exitCode: 1, hint: error.hint });
  });

  it('[Q-5] reports a signal instead of a code', async () => {
    const error = await failureOf([{ message: INIT }, { kill: 'KILL' }]);
    expect(error).toMatchObject({ exitCode: null, signal: 'SIGKILL', stdoutWasEmpty: false, stderrTail: '' });
    expect(error.message).toMatch(/^The CLI was killed by the signal SIGKILL without a result\. .*memory/);
  });

  it('[Q-5] reports that stdout was empty', async () => {
    expect(await failureOf([{ exit: 2 }])).toMatchObject({
      exitCode: 2,
      stdoutWasEmpty: true,
      lastNonJsonLine: undefined,
    });
  });

  it('[Q-5] prefers a hint from stderr over one from the exit code', async () => {
    const error = await failureOf([{ err: 'Error: Invalid MCP configuration:\n' }, { exit: 137 }]);
    expect(error.hint).toBe('Check mcpServers and mcpConfigPath.');
  });

  it.each([
    [1, /printed nothing.*logged in/],
    [2, /wrong arguments/],
    [126, /not executable/],
    [127, /not found/],
    [137, /SIGKILL.*memory/],
    [143, /Another process.*SIGTERM/],
    [42, /onStderr/],
  ])('[Q-5] has a separate hint for exit code %d', async (code, hint) => {
    const error = await failureOf([{ exit: code }]);
    expect(error.hint).toMatch(hint);
    expect(error.message).toContain(error.hint);
  });

  it('[Q-5] has the hint to log in if the CLI prints "Please run /login" and exits with 1', async () => {
    const error = await failureOf([{ out: 'Not logged in · Please run /login\n' }, { exit: 1 }]);
    expect(error.hint).toMatch(/run claude and log in, or pass apiKey/);
    expect(error.message).toMatch(/It printed: Not logged in · Please run \/login\. The CLI may not be logged in/);
  });

  it('[Q-5, R-5] includes the last 8 KiB of stderr, redacted and in whole characters', async () => {
    const error = await failureOf([{ err: `start${'ä'.repeat(10_000)} my-own-secret end\n` }, { exit: 1 }], {
      apiKey: 'my-own-secret',
    });
    expect(error.stderrTail).toMatch(/^ä+ \[redacted\] end\n$/);
    expect(Buffer.byteLength(error.stderrTail)).toBeGreaterThan(8_000);
    expect(Buffer.byteLength(error.stderrTail)).toBeLessThanOrEqual(8 * 1024);
    expect(error.message.length).toBeLessThan(1_000);
  });

  it('[Q-5, R-5] includes stderr output from just before the exit', async () => {
    const words = [`${'x'.repeat(60)}\n`, 2_000] as const;
    const run = say([{ err: words }, { err: 'Settings file not found: /x\n' }, { exit: 1 }]);
    await expect(run.stream.result()).rejects.toMatchObject({
      hint: 'Check the option settings.',
      stderrTail: expect.stringMatching(/Settings file not found: \/x\n$/),
    });
    expect(run.stderr).toHaveLength(2_001);
  });

  it('[Q-7, Q-5] reports an unfinished last line as the last non-JSON line', async () => {
    expect(await failureOf([{ message: INIT }, { out: '{"type":"assist' }, { exit: 1 }])).toMatchObject({
      lastNonJsonLine: '{"type":"assist',
    });
  });

  it('[Q-5, E-4] of a CLI that did not read its prompt reports its stderr, not EPIPE', async () => {
    const prompt = 'x'.repeat(4_000_000);
    const error = await failureOf([{ err: 'Error: not today\n' }, { exit: 1 }], { prompt });
    expect(error).toMatchObject({ exitCode: 1, stderrTail: 'Error: not today\n' });
  });
});
