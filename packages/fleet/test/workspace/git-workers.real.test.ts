import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openFleet } from '@coxswain/fleet';
import { expect, it } from 'vitest';
import { dying, quick, takingOver } from '../support/agents.ts';
import { testDatabase } from '../support/database.ts';
import { GIT_ENV, testRemote } from '../support/git.ts';
import { startGitWorker } from '../support/processes.ts';

it('[F-40] a worker that is killed while it saves loses its turn, not the branch, and another one continues from the branch', {
  timeout: 60_000,
}, async () => {
  const { database, schema } = await testDatabase();
  await using remote = await testRemote({ 'a.txt': 'one\n' });
  // The second push waits until it is allowed.
  const [reached, allowed] = [join(remote.root, 'reached'), join(remote.root, 'allowed')];
  const wait = `git --git-dir . rev-parse --verify -q refs/heads/coxswain/ann || exit 0
touch ${reached}\nwhile ! test -e ${allowed}; do sleep 0.05; done`;
  await writeFile(join(remote.path, 'hooks/pre-receive'), `#!/bin/sh\n${wait}\n`, { mode: 0o755 });
  await using fleet = await openFleet({ database, schema, limits: quick });
  const start = (name: string, limits: object) =>
    startGitWorker({
      database,
      schema,
      name,
      limits,
      remote: remote.path,
      directory: join(remote.root, name),
      env: GIT_ENV,
    });
  await using victim = start('victim', dying);
  await victim.line('ready');
  const run = async (prompt: string) => (await (await fleet.submit({ key: 'ann', prompt })).outcome()).outcome;
  expect(await run('one')).toMatchObject({ kind: 'completed' });
  const second = await fleet.submit({ key: 'ann', prompt: 'two' });
  await expect.poll(() => existsSync(reached), { timeout: 20_000 }).toBe(true);
  victim.child.kill('SIGKILL');
  await victim.exited;
  await using other = start('other', takingOver);
  await other.line('ready');
  expect((await second.outcome()).outcome).toMatchObject({ kind: 'interrupted', by: 'worker-lost' });
  expect(remote.show('coxswain/ann', 'work.txt')).toBe('one\n');
  // Its push outlives it. It ends before the next turn begins, or is merged.
  await writeFile(allowed, '');
  await expect.poll(() => remote.show('coxswain/ann', 'work.txt'), { timeout: 10_000 }).toBe('two\n');
  expect(await run('three')).toMatchObject({ kind: 'completed' });
  expect(remote.git('log', '--format=%s', 'main..coxswain/ann')).toBe('three\ntwo\none');
});
