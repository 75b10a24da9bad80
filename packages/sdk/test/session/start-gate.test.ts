import { describe, expect, it } from 'vitest';
import { StartGate } from '../../src/session/start-gate.ts';
import { FakeCli, open, settle, silence } from '../support/fake-cli.ts';

describe('the start gate', () => {
  it('[S-1] lets in as many as the limit says, the others in the order they came', async () => {
    const gate = new StartGate();
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

  it('[S-1] leaving twice makes room for one only', async () => {
    const gate = new StartGate();
    const first = gate.enter(1);
    const second = gate.enter(1);
    const third = gate.enter(1);
    first.leave();
    first.leave();
    await second.admitted;
    let entered = false;
    void third.admitted?.then(() => {
      entered = true;
    });
    await settle();
    expect(entered).toBe(false);
  });

  it('[S-1] one that gives up while it waits is let go and takes nobody’s turn; later that does nothing', async () => {
    const gate = new StartGate();
    const first = gate.enter(1);
    const second = gate.enter(1);
    const third = gate.enter(1);
    second.giveUp();
    await second.admitted;
    first.giveUp();
    second.leave();
    const fourth = gate.enter(1);
    expect(fourth.admitted).toBeDefined();
    first.leave();
    await third.admitted;
    third.leave();
    await fourth.admitted;
    fourth.leave();
    expect(gate.enter(1).admitted).toBeUndefined();
  });

  it('[S-1] sessions start one after the other with limits.parallelStarts 1, in order', async () => {
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
    // One that fails makes room as well.
    clis[1]?.refuse('req_1', 'no');
    await sessions[2]?.ready;
    expect(started()).toEqual([true, true, true]);
    await expect(sessions[1]?.ready).rejects.toMatchObject({ name: 'InitializationError' });
  });

  it('[S-1, S-15] one that is given up while it waits is told at once, starts nothing and holds up nobody', async () => {
    const limits = { parallelStarts: 1 };
    const first = open(new FakeCli({ initialize: silence }), { limits });
    const abort = new AbortController();
    const second = open(new FakeCli(), { limits, signal: abort.signal });
    const third = open(new FakeCli(), { limits });
    const fourth = open(new FakeCli(), { limits });
    await first.cli.got('initialize');
    abort.abort(new Error('changed my mind'));
    const stopped = third.session.stop();
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
