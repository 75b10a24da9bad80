import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isRunning } from '../src/running-process.ts';

describe('isRunning', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('is true for this process, false for one that has exited', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    expect(isRunning(process.pid)).toBe(true);
    expect(isRunning(Number(child.pid))).toBe(false);
  });

  it('is true for a process of another user', () => {
    vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    });
    expect(isRunning(1)).toBe(true);
  });
});
