import { describe, expect, it } from 'vitest';
import { allow, createPool, openSession, query } from '../../src/index.ts';
import type { UserContent } from '../../src/wire/messages.ts';
import { fakeClis, promptsOf } from '../pool/fake-pool.ts';
import { FakeCli } from '../support/fake-cli.ts';

/** A prompt object that its owner reuses. */
interface Reused {
  /** The prompt with this text in it. */
  saying(text: string): UserContent;
}

function reused(): Reused {
  const block = { type: 'text' as const, text: '' };
  const content = [block];
  return {
    saying(text) {
      block.text = text;
      return content;
    },
  };
}

/** The echo of such a prompt by the in-memory CLI. */
const words = (text: string): string => `prompt ${JSON.stringify([{ type: 'text', text }])}`;

describe('a prompt of content blocks that its owner reuses', () => {
  it('[Q-1] is copied by a query at the call', async () => {
    const cli = new FakeCli();
    cli.ignores.add('EOF');
    const prompt = reused();
    const stream = query(prompt.saying('at the call'), { transport: cli });
    prompt.saying('later');
    cli.reply(await cli.got(words('at the call')), 'done');
    cli.die();
    expect(await stream.text()).toBe('done');
  });

  it('[Q-1, O-7] is copied by a query with callbacks at the call', async () => {
    const cli = new FakeCli();
    const prompt = reused();
    const stream = query(prompt.saying('at the call'), { transport: cli, canUseTool: () => allow() });
    prompt.saying('later');
    cli.reply(await cli.got(words('at the call')), 'done');
    expect(await stream.text()).toBe('done');
  });

  it('[S-3] is copied by each turn of a session, together with the options', async () => {
    const cli = new FakeCli();
    await using session = openSession({ transport: cli, model: 'mine' });
    const prompt = reused();
    const options = { model: 'at-the-call' };
    const turns = ['one', 'two', 'three'].map((text) => session.send(prompt.saying(text), options));
    options.model = 'later';
    for (const text of ['one', 'two', 'three']) cli.reply(await cli.got(words(text)), `to ${text}`);
    expect(await Promise.all(turns.map((turn) => turn.text()))).toEqual(['to one', 'to two', 'to three']);
    expect((await cli.got('set_model')).request).toMatchObject({ model: 'at-the-call' });
  });

  it('[A-2, S-3] is copied by each turn of a restarting session', async () => {
    const cli = new FakeCli();
    await using session = openSession({ transport: () => cli, restart: true });
    const prompt = reused();
    const turns = ['one', 'two', 'three'].map((text) => session.send(prompt.saying(text)));
    prompt.saying('later');
    for (const text of ['one', 'two', 'three']) cli.reply(await cli.got(words(text)), `to ${text}`);
    expect(await Promise.all(turns.map((turn) => turn.text()))).toEqual(['to one', 'to two', 'to three']);
  });

  it('[A-4] is copied by each job of a pool', async () => {
    const { clis, transport } = fakeClis((cli, prompt) => cli.reply(prompt));
    await using pool = createPool({ size: 1, defaults: { transport } });
    const prompt = reused();
    const jobs = ['one', 'two', 'three'].map((text) => pool.submit({ key: 'k', prompt: prompt.saying(text) }));
    prompt.saying('later');
    await Promise.all(jobs.map((job) => job.result()));
    expect(promptsOf(clis[0]).map((asked) => JSON.parse(asked)[0].text)).toEqual(['one', 'two', 'three']);
  });
});

describe('other arguments', () => {
  it('[O-4, Q-1] are copied at the call: the environment and the lists among the options', async () => {
    const cli = new FakeCli();
    cli.ignores.add('EOF');
    const env = { TENANT: 'at the call' };
    const disallowedTools = ['Bash'];
    const stream = query(reused().saying('go'), { transport: cli, env, disallowedTools });
    env.TENANT = 'later';
    disallowedTools.length = 0;
    cli.reply(await cli.got(words('go')), 'done');
    cli.die();
    expect(await stream.text()).toBe('done');
    expect(cli.request?.env.TENANT).toBe('at the call');
    expect(cli.request?.argv).toContain('--disallowedTools');
  });

  it('[S-3] are copied at the call: a raw frame', async () => {
    const cli = new FakeCli();
    await using session = openSession({ transport: cli });
    const message = { role: 'user' as const, content: 'at the call' };
    const pushed = session.push({ type: 'user', message });
    message.content = 'later';
    await pushed;
    await cli.got('prompt at the call');
  });
});
