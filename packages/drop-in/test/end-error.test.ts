import { TransportError } from 'coxswain/errors';
import { describe, expect, it } from 'vitest';
import { endError } from '../src/end-error.ts';

const failure = new TransportError('The CLI closed its stdin and kept running.');

function errorAfter(exitCode: number | null, signal: string | null): Error | undefined {
  const exit = { exitCode, signal, ended: 'terminated' } as const;
  const end = { exit, failure, closed: false };
  return endError({ end, stderrTail: '', errorResult: undefined, command: 'claude', isScript: false });
}

describe('[U-2] the error after a pipe of the CLI was closed', () => {
  it('is the exit, if the process exited with an error by itself', () => {
    expect(errorAfter(1, null)).toMatchObject({
      message: 'Claude Code process exited with code 1',
      exitCode: 1,
      cause: failure,
    });
  });

  it.each([
    [null, 'SIGTERM'],
    [143, null],
    [0, null],
  ])('is the failure, if the process had to be ended: code %s, signal %s', (exitCode, signal) => {
    expect(errorAfter(exitCode, signal)).toBe(failure);
  });
});
