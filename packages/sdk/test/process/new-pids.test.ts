import { spawn } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isAfter, NewPids } from '../../src/process/new-pids.ts';
import { runningPids } from '../../src/process/process-table.ts';

vi.mock('../../src/process/process-table.ts', async (original) => {
  const actual = await original<typeof import('../../src/process/process-table.ts')>();
  return { ...actual, runningPids: vi.fn(actual.runningPids) };
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.mocked(runningPids).mockClear();
});

describe.runIf(process.platform === 'linux')('[R-1] new pids', () => {
  it('are those of processes that have started since', () => {
    const pids = new NewPids();
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    try {
      expect(pids.candidates()).toContain(child.pid);
      expect(pids.candidates()).not.toContain(process.pid);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('are found without a list of all processes if Linux has given out few pids since, and with it if many', () => {
    // On a busy machine, Linux might have given out every pid meanwhile.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    const few = [100, 103];
    expect(new NewPids(() => few.shift()).candidates()).toEqual([101, 102, 103]);
    expect(runningPids).not.toHaveBeenCalled();
    const many = [1, 200, 200];
    expect(new NewPids(() => many.shift()).candidates()).not.toContain(1);
    expect(runningPids).toHaveBeenCalled();
  });

  it('are all pids when Linux may have given out every pid meanwhile', () => {
    const pids = new NewPids();
    const now = performance.now();
    vi.spyOn(performance, 'now').mockReturnValue(now + 6_000);
    expect(pids.candidates()).toContain(process.pid);
  });

  it('are all pids if the last one is not known', () => {
    expect(new NewPids(() => undefined).candidates()).toContain(process.pid);
    const lasts = [1, undefined, undefined];
    expect(new NewPids(() => lasts.shift()).candidates()).toContain(process.pid);
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
