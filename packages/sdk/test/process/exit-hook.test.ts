import { afterEach, describe, expect, it, vi } from 'vitest';
import { atHostExit } from '../../src/process/exit-hook.ts';

const EVENTS = ['exit', 'newListener', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const counts = (): number[] => EVENTS.map((event) => process.listenerCount(event));

afterEach(() => {
  vi.restoreAllMocks();
});

describe('[R-4] the listeners on the host’s process', () => {
  it('are installed once while a cleanup is registered, and removed afterwards', () => {
    const before = counts();
    const forgets = Array.from({ length: 100 }, () => atHostExit(() => {}));
    expect(counts()).toEqual(before.map((count) => count + 1));
    for (const forget of forgets.slice(1)) forget();
    expect(counts()).toEqual(before.map((count) => count + 1));
    forgets[0]?.();
    forgets[0]?.();
    expect(counts()).toEqual(before);
  });
});

describe('[R-3] a signal to the host', () => {
  it('without other listeners runs the cleanups, the newest first, removes our listeners and raises the signal again', () => {
    const others = process.listeners('SIGTERM');
    process.removeAllListeners('SIGTERM');
    const order: string[] = [];
    vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
      order.push(`${pid === process.pid ? 'self' : pid} ${signal}, ${process.listenerCount('SIGTERM')} listening`);
      return true;
    });
    atHostExit(() => order.push('first'));
    atHostExit(() => order.push('second'));
    process.emit('SIGTERM', 'SIGTERM');
    expect(order).toEqual(['second', 'first', 'self SIGTERM, 0 listening']);
    for (const listener of others) process.on('SIGTERM', listener);
  });

  it('with a listener of the host has no effect', () => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    const cleanup = vi.fn();
    const own = vi.fn();
    process.on('SIGTERM', own);
    const forget = atHostExit(cleanup);
    process.emit('SIGTERM', 'SIGTERM');
    process.off('SIGTERM', own);
    forget();
    expect(own).toHaveBeenCalledOnce();
    expect(cleanup).not.toHaveBeenCalled();
    expect(kill).not.toHaveBeenCalled();
  });

  it('does not make two copies of the package mistake each other for the host', async () => {
    vi.resetModules();
    const copy: typeof import('../../src/process/exit-hook.ts') = await import('../../src/process/exit-hook.ts');
    expect(copy.atHostExit).not.toBe(atHostExit);
    const others = process.listeners('SIGHUP');
    process.removeAllListeners('SIGHUP');
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    const cleanups = [vi.fn(), vi.fn()];
    atHostExit(cleanups[0] ?? vi.fn());
    copy.atHostExit(cleanups[1] ?? vi.fn());
    process.emit('SIGHUP', 'SIGHUP');
    for (const cleanup of cleanups) expect(cleanup).toHaveBeenCalledOnce();
    expect(kill).toHaveBeenLastCalledWith(process.pid, 'SIGHUP');
    expect(process.listenerCount('SIGHUP')).toBe(0);
    for (const listener of others) process.on('SIGHUP', listener);
  });
});
