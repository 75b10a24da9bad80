import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { script } from '../../src/scripted/script.ts';
import { scriptedCli } from '../../src/scripted/scripted-cli.ts';

it('[K-1] once a test failed with ENOTEMPTY because a CLI added to its log while its files were removed', async () => {
  const cli = await scriptedCli(script());
  const runs = join(dirname(cli.path), 'runs');
  let files = 0;
  const writing = setInterval(() => {
    if (files < 30 && existsSync(runs)) writeFileSync(join(runs, `${files++}`), '');
  }, 0);
  onTestFinished(() => clearInterval(writing));
  await cli[Symbol.asyncDispose]();
  expect(existsSync(runs)).toBe(false);
});
