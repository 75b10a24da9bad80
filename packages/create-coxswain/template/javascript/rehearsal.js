import { readdir } from 'node:fs/promises';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { readScenario, rehearseAll } from '@coxswain/rehearsal';
import { expectThat } from '@coxswain/testkit';
import agent from './agent.js';

// Runs recorded conversations again on the real CLI, without a key and without their commands. The first run downloads the CLI.
test('decides as recorded', async () => {
  const folder = new URL('./conversations/', import.meta.url);
  const files = (await readdir(folder)).sort();
  const scenarios = await Promise.all(files.map((file) => readScenario(fileURLToPath(new URL(file, folder)))));

  expectThat(await rehearseAll(scenarios, { agent })).toDecideAsRecorded();
});
