import { readdir } from 'node:fs/promises';
import test from 'node:test';
import { readScenario, rehearseAll } from '@coxswain/rehearsal';
import { expectThat } from '@coxswain/testkit';
import agent from './agent.js';

test('decides about ten conversations as recorded', async () => {
  const folder = new URL('./conversations/', import.meta.url);
  const files = (await readdir(folder)).sort();
  const scenarios = await Promise.all(files.map((file) => readScenario(new URL(file, folder).pathname)));

  expectThat(await rehearseAll(scenarios, { agent })).toDecideAsRecorded();
});
