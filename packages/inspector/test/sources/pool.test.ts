import { inMemoryCli, script } from '@coxswain/testkit';
import { createClient, createPool } from 'coxswain';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { QueueInfo, ServerInfo } from '../../src/api.ts';
import { askInspector } from '../../src/ask-inspector.ts';
import { inspect, type Watchable } from '../../src/inspect.ts';
import { Browser } from '../support/browser.ts';
import { nextApproval } from '../support/stage.ts';

const agent = script()
  .onPrompt('ask', (turn) => turn.useTool('Bash', { command: 'row' }, { permission: 'ask' }).say('Rowed.'))
  .otherwise((turn) => turn.say('Aye.'));

async function inspected(target: Watchable) {
  const inspector = await inspect(target);
  const browser = await new Browser(inspector).login();
  onTestFinished(async () => {
    browser.close();
    await inspector.close();
  });
  const queues = async (): Promise<QueueInfo[]> => (await browser.get<{ queues: QueueInfo[] }>('api/queues')).queues;
  return { browser, queues };
}

describe('the queue of a pool', () => {
  it('[I-1, I-2] is shown for a pool of an inspected client, as soon as it has work; a waiting job can be cancelled', async () => {
    const client = createClient({ transport: inMemoryCli(agent).transport, canUseTool: askInspector() });
    const { browser, queues } = await inspected(client);
    expect((await browser.get<ServerInfo>('api/info')).has.queues).toBe(false);
    const events = browser.events();
    await using pool = client.createPool({ size: 1 });
    const first = pool.submit({ key: 'ann', prompt: 'ask' });
    const second = pool.submit({ id: 'second', key: 'ann', prompt: 'Paint the boat' });
    const third = pool.submit({ id: 'third', key: 'bob', prompt: 'Find the cox' });
    const approval = await nextApproval(events);
    expect((await browser.get<ServerInfo>('api/info')).has.queues).toBe(true);
    expect(await queues()).toMatchObject([
      {
        ...{ id: 'pool-1', label: 'pool', slots: 1, running: 1, queued: 2 },
        waiting: [
          { id: 'second', key: 'ann', title: 'Paint the boat', conversation: approval.conversation },
          { id: 'third', key: 'bob', title: 'Find the cox', conversation: null },
        ],
      },
    ]);
    const cancel = () => browser.post('api/queues/pool-1/actions', { action: 'cancel', turn: 'second' });
    expect((await cancel()).status).toBe(200);
    expect(await second.outcome).toMatchObject({ status: 'cancelled', error: { message: expect.any(String) } });
    expect((await cancel()).status).toBe(409);
    expect((await browser.post('api/queues/pool-1/actions', { action: 'resend', turn: 'second' })).status).toBe(409);
    expect((await queues())[0]?.waiting.map(({ id }) => id)).toEqual(['third']);
    // A prompt for a conversation of the pool goes through its queue.
    const conversations = await browser.conversations();
    expect(conversations.find(({ key }) => key === 'ann')?.actions).toContain('send');
    await browser.post(`api/approvals/${approval.id}`, { decision: 'allow', scope: 'once' });
    expect([await first.text(), await third.text()]).toEqual(['Rowed.', 'Aye.']);
  });

  it('[I-1, I-2] shows the jobs that waited before the inspector was opened; two pools are two queues', async () => {
    const { transport } = inMemoryCli(agent);
    await using one = createPool({ size: 1, defaults: { transport, canUseTool: askInspector() } });
    await using two = createPool({ size: 1, defaults: { transport } });
    void one.run({ prompt: 'ask' });
    void one.run({ id: 'early', prompt: 'Paint the boat' });
    const inspector = await inspect([one, two]);
    onTestFinished(() => inspector.close());
    const browser = await new Browser(inspector).login();
    const { queues } = await browser.get<{ queues: QueueInfo[] }>('api/queues');
    expect(queues.map(({ id, label, waiting }) => [id, label, waiting.map((job) => job.id)])).toEqual([
      ['pool-1', 'pool', ['early']],
      ['pool-2', 'pool 2', []],
    ]);
  });
});
