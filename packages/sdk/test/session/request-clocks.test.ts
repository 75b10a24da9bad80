import { describe, expect, it } from 'vitest';
import { FakeCli, silence, start } from '../support/fake-cli.ts';
import { fakeClock, pass } from '../support/fake-clock.ts';

fakeClock();

describe('the timeout of a control request in a session', () => {
  it('[X-1, X-2] is one minute, or the timeoutMs of the caller', async () => {
    const cli = new FakeCli({ slow: silence });
    const { session } = await start({}, cli);
    const outcomes = Promise.allSettled([session.request('slow'), session.request('slow', {}, { timeoutMs: 5 })]);
    await pass(5);
    expect(session.health()).toEqual({ status: 'healthy' });
    await pass(30_000);
    expect(session.health()).toMatchObject({ status: 'unhealthy' });
    await pass(29_995);
    expect(await outcomes).toMatchObject([
      { reason: { name: 'ControlTimeoutError', kind: 'slow', requestId: 'req_2' } },
      { reason: { name: 'ControlTimeoutError', kind: 'slow', requestId: 'req_3' } },
    ]);
  });

  it('[X-1] restarts when the CLI reports progress', async () => {
    const cli = new FakeCli({ slow: silence });
    const { session } = await start({ limits: { controlTimeoutMs: 1_000 } }, cli);
    const asked = session.request('slow');
    for (let i = 0; i < 5; i++) {
      await pass(900);
      cli.say({ type: 'system', subtype: 'control_request_progress', request_id: 'req_2' });
      await pass(0);
    }
    cli.succeed('req_2', { done: true });
    expect(await asked).toEqual({ done: true });
  });

  it('[X-1] is limited by limits.controlTotalMs, whatever progress the CLI reports', async () => {
    const cli = new FakeCli({ slow: silence });
    const { session } = await start({ limits: { controlTimeoutMs: 1_000, controlTotalMs: 5_000 } }, cli);
    const asked = expect(session.request('slow')).rejects.toMatchObject({ name: 'ControlTimeoutError', ms: 5_000 });
    for (let i = 0; i < 11; i++) {
      await pass(500);
      cli.say({ type: 'system', subtype: 'control_request_progress', request_id: 'req_2' });
      await pass(0);
    }
    await asked;
  });

  it('[X-1] has a total of at least the timeout of the request', async () => {
    const cli = new FakeCli({ slow: silence });
    const { session } = await start({ limits: { controlTotalMs: 5_000 } }, cli);
    const asked = expect(session.request('slow', {}, { timeoutMs: 20_000 })).rejects.toMatchObject({ ms: 20_000 });
    await pass(19_999);
    expect(session.health()).toMatchObject({ status: 'unhealthy' });
    await pass(1);
    await asked;
  });

  it('[S-9] of close() is not extended by progress: the CLI is ended after limits.graceMs', async () => {
    const cli = new FakeCli({ end_session: silence, interrupt: silence });
    cli.ignores.add('EOF');
    const { session } = await start({ limits: { graceMs: 3_000 } }, cli);
    const closed = session.close();
    await cli.got('end_session');
    for (let i = 0; i < 8; i++) {
      cli.say({ type: 'system', subtype: 'control_request_progress', request_id: 'req_2' });
      cli.say({ type: 'system', subtype: 'control_request_progress', request_id: 'req_3' });
      await pass(500);
    }
    expect(await closed).toMatchObject({ ended: 'terminated' });
  });
});
