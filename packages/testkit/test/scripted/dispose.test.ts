import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { RunLog } from '../../src/scripted/run-log.ts';
import { script } from '../../src/scripted/script.ts';
import { scriptedCli } from '../../src/scripted/scripted-cli.ts';

it('[K-1] dispose removes the files of a CLI that is still writing its log, without ENOTEMPTY', {
  repeats: 19,
}, async () => {
  const cli = await scriptedCli(script());
  const directory = dirname(cli.path);
  const launch = {
    script: script().toJSON(),
    runs: join(directory, 'runs'),
    sessions: join(directory, 'sessions'),
    recordEnv: false,
  };
  let logs = 0;
  const writing = setInterval(() => {
    // The directory may disappear at any moment, even between a check and a write: the log tolerates that.
    if (logs++ < 30) new RunLog(launch, { argv: [], cwd: directory, pid: process.pid, env: {} });
  }, 0);
  onTestFinished(() => clearInterval(writing));
  await cli[Symbol.asyncDispose]();
  expect(existsSync(directory)).toBe(false);
});
