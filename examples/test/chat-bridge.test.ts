import { createHmac } from 'node:crypto';
import { inMemoryCli, script } from '@coxswain/testkit';
import { createClient } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { Bridge, type Chat } from '../chat-bridge/bridge.ts';
import { isFromSlack } from '../chat-bridge/signature.ts';

const agent = script()
  .onPrompt('publish', (turn) =>
    turn.useTool('Bash', { command: 'npm publish' }, { result: 'published', permission: 'ask' }).say('Published.'),
  )
  .onPrompt('long', (turn) =>
    turn.useTool('Bash', { command: `echo ${'x'.repeat(4_000)}` }, { permission: 'ask' }).say('I was not allowed to.'),
  )
  .onPrompt('again', (turn) => turn.say('As I said.'))
  .otherwise((turn) => turn.say('Aye.'));

/** A chat whose messages are a list. */
class Messages implements Chat {
  readonly all: { thread: string; text: string; buttons?: Readonly<Record<string, string>> }[] = [];

  async post(thread: string, text: string, buttons?: Readonly<Record<string, string>>): Promise<void> {
    this.all.push({ thread, text, ...(buttons && { buttons }) });
  }

  /** The buttons of the newest question. */
  async buttons(): Promise<Readonly<Record<string, string>>> {
    await expect.poll(() => this.all.at(-1)?.buttons).toBeDefined();
    return this.all.at(-1)?.buttons ?? {};
  }
}

describe('the example of a chat bridge', () => {
  it('[K-1] answers each thread in its own conversation', async () => {
    const { transport, runs } = inMemoryCli(agent);
    const chat = new Messages();
    const bridge = new Bridge({ client: createClient({ transport }), chat, approvers: [] });
    await Promise.all([bridge.message('t1', 'Hello'), bridge.message('t2', 'Hello')]);
    await bridge.message('t1', 'And again?');
    expect(chat.all.map(({ thread, text }) => `${thread} ${text}`).sort()).toEqual([
      't1 As I said.',
      't1 Aye.',
      't2 Aye.',
    ]);
    await bridge.close();
    expect(runs()).toHaveLength(2);
  });

  it('[K-1] takes an answer from an approver only, and only once', async () => {
    const { transport, runs } = inMemoryCli(agent);
    const chat = new Messages();
    const bridge = new Bridge({ client: createClient({ transport }), chat, approvers: ['ann'] });
    const answered = bridge.message('t1', 'Please publish it.');
    const { Allow = '' } = await chat.buttons();
    await bridge.pressed('t1', 'eve', Allow);
    await bridge.pressed('t2', 'ann', Allow); // another thread
    await bridge.pressed('t1', 'ann', Allow);
    await answered;
    await bridge.pressed('t1', 'ann', Allow);
    expect(
      chat.all
        .slice(1)
        .map(({ text }) => text)
        .sort(),
    ).toEqual([
      'Published.',
      'That is answered, or too late.',
      'That is answered, or too late.',
      'You may not answer this.',
      'ann: allowed Bash.',
    ]);
    await bridge.close();
    expect(runs()[0]?.tools).toMatchObject([{ outcome: 'ran' }]);
  });

  it('[K-1] offers no button to allow what is too long to read', async () => {
    const { transport } = inMemoryCli(agent);
    const chat = new Messages();
    const bridge = new Bridge({ client: createClient({ transport }), chat, approvers: ['ann'] });
    const answered = bridge.message('t1', 'Something long.');
    const buttons = await chat.buttons();
    expect(Object.keys(buttons)).toEqual(['Deny']);
    await bridge.pressed('t1', 'ann', buttons.Deny ?? '');
    await answered;
    await bridge.close();
  });

  it('[K-1] accepts only requests that Slack has signed a moment ago', () => {
    const now = 1_800_000_000_000;
    const at = `${now / 1_000}`;
    const signature = `v0=${createHmac('sha256', 'secret').update(`v0:${at}:body`).digest('hex')}`;
    const headers = { 'x-slack-request-timestamp': at, 'x-slack-signature': signature };
    expect(isFromSlack(headers, 'body', 'secret', now)).toBe(true);
    expect(isFromSlack(headers, 'another body', 'secret', now)).toBe(false);
    expect(isFromSlack(headers, 'body', 'secret', now + 301_000)).toBe(false);
    expect(isFromSlack({}, 'body', 'secret', now)).toBe(false);
  });
});
