import { describe, expect, it } from 'vitest';
import { type FakeCli, type Frame, settle } from '../support/fake-cli.ts';
import { start } from './stage.ts';

const spent = (costUsd: number): object => ({
  uuid: crypto.randomUUID(),
  total_cost_usd: 100,
  model_usage_since_last_result: { opus: { inputTokens: 10, costUSD: costUsd } },
});

function reply(cli: FakeCli, prompt: Frame, costUsd: number): void {
  cli.begin(prompt);
  cli.finish(prompt, 'done', spent(costUsd));
}

describe('the cost of a restarting session', () => {
  it('[M-8] is summed over all processes; a resent turn costs all reported attempts', async () => {
    const { session, cli, cli1 } = await start({}, { replay: () => true });
    const first = session.send('one');
    const again = session.send('two');
    reply(cli1, await cli1.got('prompt one'), 2);
    expect(await first.cost()).toMatchObject({ costUsd: 2, complete: true });
    cli1.begin(await cli1.got('prompt two'));
    cli1.die(null, 'SIGKILL');
    const cli2 = await cli(2);
    reply(cli2, await cli2.got('prompt two'), 3);
    expect(await again.cost()).toMatchObject({ costUsd: 3, complete: false });
    const last = session.send('three');
    reply(cli2, await cli2.got('prompt three'), 4);
    expect(await last.cost()).toMatchObject({ costUsd: 4, complete: true });
    expect(session.cost()).toMatchObject({ costUsd: 9, complete: false });
  });

  it('[M-8, S-4] is not complete after a restart during a background task, which is closed before the restart', async () => {
    const { session, cli, cli1, events } = await start();
    const turn = session.send('one');
    reply(cli1, await cli1.got('prompt one'), 2);
    await turn.result();
    cli1.say({ type: 'system', subtype: 'task_started', task_id: 't' });
    await settle();
    cli1.die(null, 'SIGKILL');
    const cli2 = await cli(2);
    const next = session.send('two');
    reply(cli2, await cli2.got('prompt two'), 3);
    expect(await next.cost()).toMatchObject({ costUsd: 3, complete: true });
    expect(session.cost()).toMatchObject({ costUsd: 5, complete: false, background: { complete: false } });
    const types = events.map(({ type }) => type).filter((type) => /^task|restarting/.test(type));
    expect(types).toEqual(['task-opened', 'task-closed', 'restarting']);
  });
});
