import { describe, expect, it } from 'vitest';
import { hintFor } from '../../src/process/process-failure.ts';

const ended = { exitCode: 1, signal: null, stderr: '' };
const BY_DEFAULT = hintFor(ended);

describe('the hint about a failed CLI', () => {
  it.each([
    ["error: unknown option '--nonexistent-flag'", /Update it/],
    [
      "error: option '--permission-mode <mode>' argument 'bogus' is invalid. Allowed choices are plan.",
      /does not accept/,
    ],
    ['Error: Invalid MCP configuration:\nmcpServers: Required', /mcpServers/],
    ['Error: MCP config file not found: /x.json', /mcpConfigPath/],
    ['Error: Settings file not found: /x.json', /settings/],
    ['Error processing settings: Unexpected token', /settings/],
    ['Error: Session ID 22222222-2222-4222-8222-222222222222 is already in use.', /resume it/],
    ['No conversation found with session ID: 1', /no such conversation/],
    ['Error: --resume requires a valid session ID or session title when used with --print.', /no such conversation/],
    ['--dangerously-skip-permissions cannot be used with root/sudo privileges', /another user/],
    ['Error: Input must be provided either through stdin or as a prompt argument', /no prompt/],
    ["Error: EACCES: permission denied, mkdir '/x/.claude'", /owner/],
    ['write ENOSPC', /disk is full/],
    ['Error: ENOENT: no such file or directory, uv_cwd', /working directory no longer exists/],
    ["Error: Cannot find module '/x/cli.js'", /install it again/],
    ["/lib/libc.so.6: version `GLIBC_2.38' not found (required by claude)", /C library/],
  ])('[Q-5, E-2] matches its output: %s', (stderr, hint) => {
    expect(hintFor({ ...ended, stderr })).toMatch(hint);
    // The output takes precedence over the exit code.
    expect(hintFor({ exitCode: 127, signal: null, stderr })).toMatch(hint);
    expect(hintFor({ exitCode: null, signal: 'SIGKILL', stderr })).toMatch(hint);
  });

  it.each([
    ['stderr', { stderr: 'Invalid API key · Please run /login' }],
    ['stdout', { stdout: 'Not logged in · Please run /login' }],
    ['nothing at all', { stdoutWasEmpty: true }],
  ])('[Q-5, E-2] is to log in if it exits with 1 and requests it or prints nothing: %s', (_, output) => {
    expect(hintFor({ ...ended, ...output })).toMatch(/may not be logged in: run claude and log in, or pass apiKey/);
  });

  it('[Q-5, E-2] is not to log in if it printed another reason or exited with another code', () => {
    expect(hintFor({ ...ended, stderr: 'Error: not today', stdoutWasEmpty: true })).toBe(BY_DEFAULT);
    expect(hintFor({ ...ended, exitCode: 3, stdoutWasEmpty: true })).toBe(BY_DEFAULT);
  });

  it.each([2, 126, 127, 129, 130, 134, 137, 139, 143])(
    '[Q-5, E-2] matches its exit code %d if it printed nothing',
    (exitCode) => {
      expect(hintFor({ ...ended, exitCode })).not.toBe(BY_DEFAULT);
    },
  );

  it.each(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGSEGV', 'SIGABRT', 'SIGUSR1'])(
    '[Q-5, E-2] is a hint that fits its end by %s',
    (signal) => {
      expect(hintFor({ ...ended, exitCode: null, signal })).not.toBe(BY_DEFAULT);
    },
  );

  it('[Q-5, E-2] is never empty', () => {
    expect(BY_DEFAULT).toMatch(/by hand|onStderr/);
    expect(hintFor({ ...ended, exitCode: null })).toBe(BY_DEFAULT);
  });
});
