import { describe, expect, it } from 'vitest';
import { isReaderClosed } from '../../src/terminal/output-end.ts';
import { runShell } from '../run-cox.ts';
import { cox } from './pty.ts';

describe('an output that ends early', () => {
  it.each([[['run', '--demo']], [['run', '--demo', '--json']], [['cli', 'list', '--json']], [['--help']]])(
    '[L-2] is reported as a failure on a full disk: cox %s > /dev/full',
    async (args) => {
      const { stderr, code } = await runShell(['sh', '-c', `${cox(...args)} > /dev/full`]);
      expect(stderr).toMatch(/cox: the output could not be written: ENOSPC.*\n$/);
      expect(code).toBe(1);
    },
  );

  it('[L-2] is not a failure if its reader has closed it', () => {
    const failures = ['EPIPE', 'ECONNRESET', 'ENOSPC', 'EIO'].map((code) => Object.assign(new Error(code), { code }));
    expect(failures.map(isReaderClosed)).toEqual([true, true, false, false]);
  });
});
