import { describe, expect, it } from 'vitest';
import { AT_ONCE, start } from './stage.ts';

const words = (text: string): string => `prompt ${JSON.stringify([{ type: 'text', text }])}`;

describe('the prompts of a restarting session', () => {
  it('[A-2, S-3] are sent with their content at the call, however long their turns wait', async () => {
    const { session, cli1 } = await start();
    const block = { type: 'text' as const, text: '' };
    const content = [block];
    const turns = ['one', 'two', 'three'].map((text) => {
      block.text = text;
      return session.send(content);
    });
    block.text = 'later';
    for (const text of ['one', 'two', 'three']) cli1.reply(await cli1.got(words(text)), `to ${text}`);
    expect(await Promise.all(turns.map((turn) => turn.text()))).toEqual(['to one', 'to two', 'to three']);
  });

  it('[A-2, S-7] are resent unchanged after a crash, with their options', async () => {
    const { session, cli1, cli } = await start({ model: 'mine' }, { ...AT_ONCE, replay: () => true });
    const block = { type: 'text' as const, text: 'at the call' };
    const options = { model: 'at-the-call' };
    const turn = session.send([block], options);
    cli1.begin(await cli1.got(words('at the call')));
    block.text = 'later';
    options.model = 'later';
    cli1.die(1);
    const cli2 = await cli(2);
    cli2.reply(await cli2.got(words('at the call')), 'done');
    expect(await turn.text()).toBe('done');
    expect(cli2.log).toContainEqual(
      expect.objectContaining({ request: expect.objectContaining({ model: 'at-the-call' }) }),
    );
  });

  it('[A-2, S-3] may have null as options', async () => {
    const { session, cli1 } = await start();
    // An untyped program passes this.
    const turn = session.send('one', null as never);
    cli1.reply(await cli1.got('prompt one'), 'done');
    expect(await turn.text()).toBe('done');
  });
});
