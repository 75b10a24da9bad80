import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/session/session.ts';
import { FakeCli, type Frame, start, success } from '../support/fake-cli.ts';
import { assistant, INIT, result } from '../support/say.ts';

/** Reports runs like 2.1.197: only the echo names the prompt. */
class OldCli extends FakeCli {
  constructor() {
    super({ initialize: success({ commands: [], models: [], agents: [], claude_code_version: '2.1.197' }) });
  }

  override begin({ uuid = '', message }: Frame): void {
    this.say(INIT, { type: 'user', message, uuid, isReplay: true });
  }

  override finish({ uuid = '' }: Frame, text = 'done', more: object = {}): void {
    this.say(result({ result: text, uuid: `result of ${uuid}`, ...more }));
  }
}

async function answers(session: Session, cli: OldCli, prompts: readonly string[]): Promise<string[]> {
  const turns = prompts.map((prompt) => session.send(prompt).text());
  for (const prompt of prompts) cli.reply(await cli.got(`prompt ${prompt}`), `answer to ${prompt}`);
  return Promise.all(turns);
}

describe('a repeated result of 2.1.197', () => {
  it.each([
    ['before the next turn starts', 'again first'],
    ['after the next turn has started', 'begin first'],
  ])('[S-3] does not shift answers to other turns: %s', async (_, order) => {
    const cli = new OldCli();
    const { session } = await start({}, cli);
    const [one, two] = [session.send('one'), session.send('two')];
    const first = await cli.got('prompt one');
    cli.reply(first, 'answer to one');
    const second = await cli.got('prompt two');
    if (order === 'begin first') cli.begin(second);
    cli.finish(first, 'answer to one');
    if (order === 'again first') cli.begin(second);
    cli.say(assistant('answer to two'));
    cli.finish(second, 'answer to two');
    expect(await Promise.all([one.text(), two.text()])).toEqual(['answer to one', 'answer to two']);
    expect(await answers(session, cli, ['three', 'four'])).toEqual(['answer to three', 'answer to four']);
  });

  it('[S-3] without a uuid ends the next turn too early, but no later one, because each echo names its prompt', async () => {
    const cli = new OldCli();
    const { session } = await start({}, cli);
    const turns = ['one', 'two', 'three'].map((prompt) => session.send(prompt).text());
    const first = await cli.got('prompt one');
    cli.begin(first);
    cli.finish(first, 'answer to one', { uuid: undefined });
    const second = await cli.got('prompt two');
    cli.finish(first, 'answer to one', { uuid: undefined });
    const third = await cli.got('prompt three');
    cli.reply(second, 'answer to two');
    cli.reply(third, 'answer to three');
    expect(await Promise.all(turns)).toEqual(['answer to one', 'answer to one', 'answer to three']);
    expect(await answers(session, cli, ['four', 'five'])).toEqual(['answer to four', 'answer to five']);
  });
});
