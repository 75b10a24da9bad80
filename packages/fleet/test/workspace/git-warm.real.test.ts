import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gitWorkspace, openFleet, startWorker, type Workspace } from '@coxswain/fleet';
import { inMemoryCli, script } from '@coxswain/testkit';
import { expect, it } from 'vitest';
import { quick as limits } from '../support/agents.ts';
import { testDatabase } from '../support/database.ts';
import { GIT_ENV, testRemote } from '../support/git.ts';

it('[F-37, F-40] consecutive turns of a conversation with a branch of its own run on one process, and each is pushed', async () => {
  const place = await testDatabase();
  await using remote = await testRemote({ 'a.txt': 'one\n' });
  await using fleet = await openFleet({ ...place, limits });
  const git = gitWorkspace({ remote: remote.path, directory: join(remote.root, 'worker'), env: GIT_ENV });
  const seen: string[] = [];
  // The agent's work: it appends its prompt to the file.
  const workspace: Workspace = {
    async prepare(job) {
      const place = await git.prepare(job);
      seen.push(place.cwd);
      return place;
    },
    async save(job, outcome) {
      const file = join(seen.at(-1) ?? '', 'a.txt');
      await writeFile(file, `${await readFile(file, 'utf8')}${String(job.prompt)}\n`);
      await git.save?.(job, outcome);
    },
  };
  const cli = inMemoryCli(script().otherwise((turn) => turn.say('done')));
  const agent = { workspace, options: () => ({ transport: cli.transport }) };
  await using worker = await startWorker({ ...place, limits, agent, keepWarmMs: 60_000 });
  for (const prompt of ['two', 'three']) {
    const { outcome } = await (await fleet.submit({ key: 'ann', prompt })).outcome();
    expect(outcome).toMatchObject({ kind: 'completed' });
  }
  expect(new Set(seen).size).toBe(1);
  expect(worker.health()).toMatchObject({ warm: 1, turnsReused: 1 });
  expect(remote.show('coxswain/ann', 'a.txt')).toBe('one\ntwo\nthree\n');
  // Someone else pushes: the next turn has their change in the same folder.
  remote.commit('coxswain/ann', { 'b.txt': 'from bob\n' });
  const { outcome } = await (await fleet.submit({ key: 'ann', prompt: 'four' })).outcome();
  expect(outcome).toMatchObject({ kind: 'completed' });
  expect(remote.show('coxswain/ann', 'a.txt')).toBe('one\ntwo\nthree\nfour\n');
  expect(remote.show('coxswain/ann', 'b.txt')).toBe('from bob\n');
  expect(seen.at(-1)).not.toBe(seen[0]);
  expect(worker.health().turnsReused).toBe(1);
});
