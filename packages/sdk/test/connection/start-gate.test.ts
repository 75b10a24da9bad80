import { describe, expect, it, vi } from 'vitest';
import { type Place, StartGate } from '../../src/connection/start-gate.ts';
import { FakeCli, open, settle, silence } from '../support/fake-cli.ts';

describe('the start gate', () => {
  it('[S-1] runs as many starts as the limit allows, and then the others in order', async () => {
    const gate = new StartGate(4);
    const order: string[] = [];
    const enter = async (name: string): Promise<() => void> => {
      const place = gate.enter(2);
      await place.admitted;
      order.push(name);
      return () => place.leave();
    };
    const [a, b] = await Promise.all([enter('a'), enter('b')]);
    const c = enter('c');
    const d = enter('d');
    await settle();
    expect(order).toEqual(['a', 'b']);
    b();
    const leaveC = await c;
    expect(order).toEqual(['a', 'b', 'c']);
    a();
    leaveC();
    (await d)();
    expect(order).toEqual(['a', 'b', 'c', 'd']);
  });

  it('[S-1] admits only one more start after a double leave()', async () => {
    const gate = new StartGate(4);
    const first = gate.enter(1);
    const second = gate.enter(1);
    const third = gate.enter(1);
    first.leave();
    first.leave();
    await second.admitted;
    let entered = false;
    void third.admitted.then(() => {
      entered = true;
    });
    await settle();
    expect(entered).toBe(false);
  });

  it('[S-1] removes an abandoned start from the queue', async () => {
    const gate = new StartGate(4);
    const first = gate.enter(1);
    const second = gate.enter(1);
    const third = gate.enter(1);
    await first.admitted;
    second.leave();
    await second.admitted;
    const order: string[] = [];
    void third.admitted.then(() => order.push('third'));
    const fourth = gate.enter(1);
    void fourth.admitted.then(() => order.push('fourth'));
    await settle();
    expect(order).toEqual([]);
    first.leave();
    await third.admitted;
    third.leave();
    await fourth.admitted;
    expect(order).toEqual(['third', 'fourth']);
    fourth.leave();
    await gate.enter(1).admitted;
  });

  it('[S-1] applies the limit of each start; 0 means the default limit', async () => {
    const { start, end, running } = simulated(2);
    start(5, 0);
    start(1, 3);
    start(1, 3);
    await settle();
    expect(running()).toBe(3);
    end(1);
    await settle();
    expect(running()).toBe(3);
    end(3);
    await settle();
    expect(running()).toBe(2);
  });

  it('[S-1] starts only a few in each iteration of the event loop, however many the limit allows', async () => {
    const { start, end, running } = simulated(1_000);
    start(200, 0);
    await settle();
    expect(running()).toBe(16);
    await settle();
    expect(running()).toBe(32);
    end(32);
    for (let round = 0; round < 20; round++) await settle();
    expect(running()).toBe(168);
  });

  it('[S-1] works with a fake clock', async () => {
    vi.useFakeTimers();
    try {
      const sessions = Array.from({ length: 40 }, () => open(new FakeCli()).session);
      await Promise.all(sessions.map(({ ready }) => ready));
    } finally {
      vi.useRealTimers();
    }
  });

  it('[S-1] starts sessions one after the other with limits.parallelStarts 1', async () => {
    const clis = [new FakeCli({ initialize: silence }), new FakeCli({ initialize: silence }), new FakeCli()];
    const sessions = clis.map((cli) => open(cli, { limits: { parallelStarts: 1 } }).session);
    const started = (): boolean[] => clis.map((cli) => cli.request !== undefined);
    await clis[0]?.got('initialize');
    await settle();
    expect(started()).toEqual([true, false, false]);
    clis[0]?.succeed('req_1', {});
    await clis[1]?.got('initialize');
    await settle();
    expect(started()).toEqual([true, true, false]);
    // A failed start also frees its slot.
    clis[1]?.refuse('req_1', 'no');
    await sessions[2]?.ready;
    expect(started()).toEqual([true, true, true]);
    await expect(sessions[1]?.ready).rejects.toMatchObject({ name: 'InitializationError' });
  });

  it('[S-1, S-15] fails an abandoned waiting session immediately without starting it or blocking others', async () => {
    const limits = { parallelStarts: 1 };
    const first = open(new FakeCli({ initialize: silence }), { limits });
    const abort = new AbortController();
    const second = open(new FakeCli(), { limits, signal: abort.signal });
    const third = open(new FakeCli(), { limits });
    const fourth = open(new FakeCli(), { limits });
    await first.cli.got('initialize');
    abort.abort(new Error('changed my mind'));
    const stopped = third.session.close();
    await expect(second.session.ready).rejects.toMatchObject({
      name: 'AbortError',
      cause: { message: 'changed my mind' },
    });
    await expect(third.session.ready).rejects.toMatchObject({ name: 'SessionStoppedError' });
    expect(await stopped).toEqual({ exitCode: null, signal: null, ended: 'by-itself' });
    expect(third.session.state).toBe('stopped');
    expect(third.events.map(({ type }) => type)).toEqual(['state-changed', 'state-changed', 'stopped']);
    first.cli.succeed('req_1', {});
    await fourth.session.ready;
    expect([second.cli.request, third.cli.request]).toEqual([undefined, undefined]);
  });
});

/** A gate whose starts end when the test ends them, in order. */
function simulated(usual: number): {
  start(count: number, limit: number): void;
  end(count: number): void;
  running(): number;
} {
  const gate = new StartGate(usual);
  const running: Place[] = [];
  return {
    start(count, limit) {
      for (let i = 0; i < count; i++) {
        const place = gate.enter(limit);
        void place.admitted.then(() => running.push(place));
      }
    },
    end(count) {
      for (const place of running.splice(0, count)) place.leave();
    },
    running: () => running.length,
  };
}
