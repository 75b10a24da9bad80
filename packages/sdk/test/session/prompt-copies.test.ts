import { describe, expect, it } from 'vitest';
import { FakeCli, open, type Stage, start } from '../support/fake-cli.ts';

interface Block {
  type: 'text';
  text: string;
}

const block = (text: string): Block => ({ type: 'text', text });
const asked = (text: string): string => `prompt ${JSON.stringify([block(text)])}`;

/** The prompts that the CLI received, in order. */
const prompts = ({ cli }: Stage): string[] => cli.story.filter((words) => words.startsWith('prompt'));

/** Sends the same array three times with different content, and empties it. */
async function sendThrice(stage: Stage): Promise<void> {
  const shared = block('one');
  const content = [shared];
  const turns = ['one', 'two', 'three'].map((text) => {
    shared.text = text;
    return stage.session.send(content);
  });
  shared.text = 'none of them';
  content.length = 0;
  for (const [at, turn] of turns.entries()) {
    const text = ['one', 'two', 'three'][at] ?? '';
    stage.cli.reply(await stage.cli.got(asked(text)), `${text}, too`);
    expect(await turn.text()).toBe(`${text}, too`);
  }
  expect(prompts(stage)).toEqual(['one', 'two', 'three'].map(asked));
}

describe('content blocks that the caller changes later', () => {
  it('[S-3] are sent as they were at send(), even by waiting turns', async () => {
    await sendThrice(await start());
  });

  it('[S-1, S-3] are sent as they were at send(), even if the session is not ready yet', async () => {
    const stage = open(new FakeCli());
    await sendThrice(stage);
  });

  it('[S-3, S-7] are sent as they were at send(), even if they change while the settings of the turn are applied', async () => {
    const stage = await start({ model: 'a' });
    const content = [block('one')];
    const turn = stage.session.send(content, { model: 'b' });
    content[0] = block('two');
    stage.cli.reply(await stage.cli.got(asked('one')));
    await turn.result();
  });

  it('[S-3] are sent by steer() as they were at the call', async () => {
    const stage = await start();
    const { session, cli } = stage;
    const turn = session.send('go');
    const prompt = await cli.got('prompt go');
    cli.begin(prompt);
    const content = [block('left')];
    const steered = turn.steer(content);
    content[0] = block('right');
    await steered;
    const { uuid } = await cli.got(asked('left'));
    expect(prompts(stage)).toEqual(['prompt go', asked('left')]);
    cli.say({ type: 'user', uuid, isReplay: true });
    cli.finish(prompt, 'left it is');
    expect(await turn.text()).toBe('left it is');
  });
});

describe('steering with an invalid prompt', () => {
  it.each<[string, unknown]>([
    ['an empty text', ''],
    ['white space', ' \n'],
    ['no blocks', []],
    ['a block with a BigInt', [{ ...block('x'), n: 10n }]],
    ['a circular value', circular()],
    ['a block without a type', [{ text: 'x' }]],
    ['nothing', undefined],
    ['null', null],
    ['a number', 5],
  ])(
    '[S-3, O-4] rejects with OptionsError without sending anything, and the turn and the next one end: %s',
    async (_, bad) => {
      const { session, cli } = await start();
      const turn = session.send('one');
      const next = session.send('two');
      const prompt = await cli.got('prompt one');
      cli.begin(prompt);
      await expect(turn.steer(bad as string)).rejects.toMatchObject({ name: 'OptionsError' });
      cli.finish(prompt, 'first');
      expect(await turn.text()).toBe('first');
      expect(turn.results).toHaveLength(1);
      cli.reply(await cli.got('prompt two'), 'second');
      expect(await next.text()).toBe('second');
      expect(cli.story).toEqual(['initialize', 'prompt one', 'prompt two']);
    },
  );
});

function circular(): unknown {
  const blocks: unknown[] = [];
  blocks.push({ type: 'text', text: 'x', more: blocks });
  return blocks;
}
