import { describe, expect, it } from 'vitest';
import { FakeCli, silence, start } from '../support/fake-cli.ts';
import { fakeClock, pass } from '../support/fake-clock.ts';

fakeClock();

describe('the time of a control request', () => {
  it('[X-1, X-2] is a minute, or the timeoutMs of the caller', async () => {
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

  it('[X-1] starts again when the CLI reports progress', async () => {
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
});
