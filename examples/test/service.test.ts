import { instrument } from '@coxswain/opentelemetry';
import { inMemoryCli, script } from '@coxswain/testkit';
import { createClient } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { recordTraces } from '../trace-tree.ts';
import { ServiceClient } from './service-client.ts';

const ID = '6b1f6c5e-0000-4000-8000-000000000001';
const ALLOW = { decision: 'allow' };

const agent = script()
  .onPrompt('publish', (turn) =>
    turn
      .useTool('Bash', { command: 'npm publish' }, { result: 'published', permission: 'ask' })
      .say('It is published.')
      .result({ costUsd: 0.02 }),
  )
  .onPrompt('delete', (turn) => turn.useTool('Bash', { command: 'rm -rf /' }).say('I was not allowed to.'))
  .onPrompt('wait', (turn) => turn.say('I wait.').silence())
  .otherwise((turn) => turn.say('Catch, drive, finish, recovery.').result({ costUsd: 0.6 }));

describe('the example of a service', () => {
  it('[K-1] sends text while the model writes it, and counts the cost', async () => {
    const { transport } = inMemoryCli(agent);
    await using service = await ServiceClient.open(createClient({ transport }));
    expect(await service.send('ann', ID, 'Name the phases of the stroke.')).toBe(202);
    const events = await service.eventsUntil('ann', ID, 'done');
    const text = events.flatMap((event) => (event.type === 'text' ? [event.text] : []));
    expect(text.length).toBeGreaterThan(1);
    expect(text.join('')).toBe('Catch, drive, finish, recovery.');
    expect(events.at(-1)).toMatchObject({ outcome: 'completed', costUsd: 0.6 });

    // A browser that reconnects gets only what is new.
    await service.send('ann', ID, 'Once more.');
    const later = await service.eventsUntil('ann', ID, 'done', events.length);
    expect(later.filter(({ type }) => type === 'done')).toHaveLength(1);
  });

  it('[K-1] refuses a customer whose budget is spent, and no other one, also after a restart', async () => {
    const { transport } = inMemoryCli(agent);
    const client = createClient({ transport });
    await using service = await ServiceClient.open(client, 0.5);
    await service.send('ann', ID, 'Name the phases.');
    await service.eventsUntil('ann', ID, 'done');
    expect(await service.send('ann', ID, 'And again.')).toBe(402);
    await service.stop();
    await service.start(client, 0.5);
    expect(await service.send('ann', ID, 'And again.')).toBe(402);
    expect(await service.send('bob', ID.replace('1', '2'), 'Name the phases.')).toBe(202);
  });

  it('[K-1] asks the staff, takes the first answer, and accepts none from a customer', async () => {
    const { transport, runs } = inMemoryCli(agent);
    await using service = await ServiceClient.open(createClient({ transport }));
    await service.send('ann', ID, 'Please publish it.');
    await service.eventsUntil('ann', ID, 'waiting');
    await expect.poll(() => service.announced.length).toBe(1);
    const [{ hash } = { hash: '' }] = await service.waiting();
    expect(service.announced).toEqual([{ customer: 'ann', hash, tool: 'Bash', input: { command: 'npm publish' } }]);

    expect((await service.call('ann', '/approvals')).status).toBe(401);
    expect(await service.answer(hash, { decision: 'allow', everything: true })).toBe(400);
    expect(await service.answer(hash.replace(/./g, '0'), ALLOW)).toBe(404);
    expect(await service.answer(hash, ALLOW)).toBe(200);
    const events = await service.eventsUntil('ann', ID, 'done');
    expect(events.at(-1)).toMatchObject({ type: 'done', text: 'It is published.' });
    expect(runs()[0]?.tools).toMatchObject([{ name: 'Bash', outcome: 'ran' }]);
    expect([404, 409]).toContain(await service.answer(hash, ALLOW));
  });

  it('[K-1] keeps a call that waits for a person over a restart, and runs it once', async () => {
    const { transport, runs } = inMemoryCli(agent);
    const client = createClient({ transport });
    await using service = await ServiceClient.open(client);
    await service.send('ann', ID, 'Please publish it.');
    await service.eventsUntil('ann', ID, 'waiting');
    await expect.poll(() => service.announced.length).toBe(1);
    const before = await service.waiting();
    await service.stop();

    await service.start(client);
    expect(await service.waiting()).toEqual(before);
    const [{ hash } = { hash: '' }] = before;
    expect(await service.answer(hash, ALLOW)).toBe(200);
    await service.eventsUntil('ann', ID, 'done');
    expect(runs().flatMap(({ tools }) => tools.filter(({ outcome }) => outcome === 'ran'))).toHaveLength(1);
    await expect.poll(() => service.waiting()).toEqual([]);
  });

  it('[K-1] runs no command that its guard does not list', async () => {
    const { transport, runs } = inMemoryCli(agent);
    await using service = await ServiceClient.open(createClient({ transport }));
    await service.send('ann', ID, 'Please delete everything.');
    await service.eventsUntil('ann', ID, 'done');
    expect(runs()[0]?.tools).toMatchObject([{ name: 'Bash', outcome: 'refused' }]);
    expect(service.announced).toEqual([]);
  });

  it('[K-1] refuses what it does not know', async () => {
    const { transport } = inMemoryCli(agent);
    await using service = await ServiceClient.open(createClient({ transport }));
    expect(await service.send('eve', ID, 'Hello')).toBe(401);
    expect(await service.send('ann', 'not-a-uuid', 'Hello')).toBe(404);
    expect((await service.call('ann', `/conversations/${ID}/prompts`, { text: 'no prompt' })).status).toBe(400);
    expect((await service.call('ann', `/conversations/${ID}/prompts`, { prompt: 'x'.repeat(200_000) })).status).toBe(
      413,
    );
    expect((await service.call('nobody', '/health')).status).toBe(200);
    expect(await (await service.call('nobody', '/page')).text()).toContain('<title>Approvals</title>');
  });

  it('[K-1] ends within its grace period although a turn hangs', async () => {
    const { transport } = inMemoryCli(agent);
    await using service = await ServiceClient.open(createClient({ transport }));
    await service.send('ann', ID, 'Please wait.');
    await service.eventsUntil('ann', ID, 'text');
    await service.stop(100);
  });

  it('[K-1, V-1] gives each turn a span', async () => {
    const traces = recordTraces();
    const { transport } = inMemoryCli(agent);
    const client = createClient({ transport });
    const stop = instrument(client);
    await using service = await ServiceClient.open(client);
    await service.send('ann', ID, 'Name the phases.');
    await service.eventsUntil('ann', ID, 'done');
    await service.stop();
    stop();
    expect(traces.tree(() => '').join('\n')).toContain('invoke_agent');
  });
});
