import { spawn } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isAfter, NewPids } from '../../src/process/new-pids.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe.runIf(process.platform === 'linux')('[R-1] new pids', () => {
  it('are those of processes that have started since', () => {
    const pids = new NewPids();
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    try {
      expect(pids.running()).toContain(child.pid);
      expect(pids.running()).not.toContain(process.pid);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('are all pids when Linux may have given out every pid meanwhile', () => {
    const pids = new NewPids();
    const now = performance.now();
    vi.spyOn(performance, 'now').mockReturnValue(now + 6_000);
    expect(pids.running()).toContain(process.pid);
  });

  it('are all pids if the last one is not known', () => {
    expect(new NewPids(() => undefined).running()).toContain(process.pid);
    const lasts = [1, undefined];
    expect(new NewPids(() => lasts.shift()).running()).toContain(process.pid);
  });
});

describe('[R-1] the order of pids', () => {
  it.each([
    [5, 4, 9, true],
    [9, 4, 9, true],
    [4, 4, 9, false],
    [10, 4, 9, false],
    [32_767, 32_760, 310, true],
    [300, 32_760, 310, true],
    [311, 32_760, 310, false],
    [32_760, 32_760, 310, false],
  ])('%i after %i until %i: %s', (pid, first, last, expected) => {
    expect(isAfter(pid, first, last)).toBe(expected);
  });
});
