import { expect, it } from 'vitest';
import { fakePool, promptsOf } from './fake-pool.ts';

it('[A-4] a job runs with the prompt and options from the time of submission', async () => {
  const { pool, clis } = fakePool({ size: 1, defaults: { model: 'mine' } }, (cli, prompt) => cli.reply(prompt));
  await pool.ready;
  const block = { type: 'text' as const, text: '' };
  const [prompt, options] = [[block], { model: 'at-submit' }];
  const jobs = ['one', 'two', 'three'].map((text) => {
    block.text = text;
    return pool.submit({ key: 'k', prompt, options });
  });
  options.model = 'later';
  await Promise.all(jobs.map((job) => job.result()));
  expect(promptsOf(clis[0]).map((asked) => JSON.parse(asked)[0].text)).toEqual(['one', 'two', 'three']);
  const models = clis[0]?.log.flatMap((entry) =>
    typeof entry === 'object' && entry.request?.subtype === 'set_model' ? [entry.request.model] : [],
  );
  expect(new Set(models)).toEqual(new Set(['at-submit', 'mine']));
});

it.each([
  ['its prompt', 'prompt'],
  ['its options', 'options'],
  ['its key', 'key'],
])('[A-4] a job fails with OptionsError if %s cannot be read', async (_, name) => {
  const { pool } = fakePool({ size: 1 });
  const spec = Object.defineProperty({ prompt: 'one' }, name, {
    enumerable: true,
    get() {
      throw new Error('mine');
    },
  });
  const failed = {
    status: 'failed',
    error: { code: 'options', message: expect.stringContaining('could not be read: mine') },
  };
  expect(await pool.run(spec)).toMatchObject(failed);
  expect(await pool.submit(spec).outcome).toMatchObject(failed);
  const options = {
    get onMessage(): () => void {
      throw new Error('mine');
    },
  };
  expect(await pool.run({ prompt: 'one' }, options)).toMatchObject(failed);
});

it('[A-4] steer() sends the content from the time of the call, even if the job starts later', async () => {
  const { pool, clis, waitFor } = fakePool({ size: 1 }, (cli, prompt, text) => {
    if (text === 'first' || text === 'second') cli.begin(prompt);
  });
  const first = pool.submit({ key: 'k', prompt: 'first' });
  await waitFor('job-started');
  const second = pool.submit({ key: 'k', prompt: 'second' });
  const block = { type: 'text' as const, text: 'at the call' };
  const steered = second.steer([block]);
  block.text = 'later';
  const [cli] = clis;
  cli?.finish(await cli.got('prompt first'));
  await first.result();
  await steered;
  expect(JSON.parse(promptsOf(cli).at(-1) ?? '')).toEqual([{ type: 'text', text: 'at the call' }]);
});
