import { existsSync } from 'node:fs';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ArchiveWorkspaceOptions,
  archiveWorkspace,
  folderArchive,
  postgresArchive,
  type SavedOutcome,
} from '@coxswain/fleet';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql, testDatabase } from '../support/database.ts';
import { jobOf } from '../support/git.ts';

const done: SavedOutcome = { kind: 'parked', message: '' };
let root: string;
let pool: pg.Pool;
let schema: string;
let database: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'archive-'));
  ({ database, schema } = await testDatabase());
  pool = new pg.Pool({ connectionString: database });
});
afterAll(async () => {
  await pool.end();
  await rm(root, { recursive: true, force: true });
});

/** An archive, with a way to let a day pass since its blobs were used, and to count them. */
const archives = {
  PostgreSQL: async () => {
    const archive = postgresArchive(pool, { schema });
    await Promise.all([archive.prepare(), archive.prepare()]);
    const table = `"${schema}".archive_blob`;
    return {
      archive,
      age: async () => void (await sql(database, `update ${table} set used_at = used_at - interval '25 hours'`)),
      blobs: async () => Number((await sql(database, `select count(*)::integer as n from ${table}`))[0]?.n),
      damage: async () => void (await sql(database, `update ${table} set data = 'x'`)),
    };
  },
  'a folder': async () => {
    const path = join(root, 'shared');
    const files = async (): Promise<string[]> => {
      const found = await readdir(join(path, 'blobs'), { recursive: true, withFileTypes: true });
      return found.flatMap((file) => (file.isFile() ? [join(file.parentPath, file.name)] : []));
    };
    const then = new Date(Date.now() - 25 * 3_600_000);
    return {
      archive: folderArchive(path),
      age: async () => void (await Promise.all((await files()).map((file) => utimes(file, then, then)))),
      blobs: async () => (await files()).length,
      damage: async () => void (await Promise.all((await files()).map((file) => writeFile(file, 'x')))),
    };
  },
};

describe.each(Object.entries(archives))('archiveWorkspace with %s', (name, open) => {
  /** A worker with files of its own. */
  const workspaceOf = async (machine: string, options: Partial<ArchiveWorkspaceOptions> = {}) => {
    const { archive } = await open();
    const directory = join(root, name.replaceAll(' ', '-'), machine);
    const { prepare, save } = archiveWorkspace({ store: archive, directory, ...options });
    return { prepare, save: save ?? (() => Promise.reject(new Error('no save'))) };
  };

  it('[F-42] brings the files of a conversation to another worker: folders, links, executables', async () => {
    const [one, two] = [await workspaceOf('one'), await workspaceOf('two')];
    const { cwd } = await one.prepare(jobOf('ann', 1));
    expect(await readdir(cwd)).toEqual([]);
    await mkdir(join(cwd, 'src/empty'), { recursive: true });
    await mkdir(join(cwd, 'node_modules/x'), { recursive: true });
    await writeFile(join(cwd, 'src/a.sh'), '#!/bin/sh\n');
    await chmod(join(cwd, 'src/a.sh'), 0o755);
    await writeFile(join(cwd, 'src/same.sh'), '#!/bin/sh\n');
    await writeFile(join(cwd, 'zero'), '');
    await symlink('src/a.sh', join(cwd, 'link'));
    await symlink('/outside/of it', join(cwd, 'outside'));
    await one.save(jobOf('ann', 1), done);
    const there = (await two.prepare(jobOf('ann', 2))).cwd;
    expect((await readdir(there, { recursive: true })).sort()).toEqual(
      ['link', 'outside', 'src', 'src/a.sh', 'src/empty', 'src/same.sh', 'zero'].sort(),
    );
    expect(await readlink(join(there, 'outside'))).toBe('/outside/of it');
    expect((await lstat(join(there, 'src/a.sh'))).mode & 0o777).toBe(0o755);
    expect(await readFile(join(there, 'link'), 'utf8')).toBe('#!/bin/sh\n');
    // The content of the same file is stored once.
    expect(await (await open()).blobs()).toBe(2);
  });

  it('[F-42] refuses the files of a worker whose conversation another one has saved since', async () => {
    const [one, two] = [await workspaceOf('one'), await workspaceOf('two')];
    const old = (await one.prepare(jobOf('ben', 1))).cwd;
    const { cwd } = await two.prepare(jobOf('ben', 2));
    await writeFile(join(cwd, 'a'), 'new');
    await two.save(jobOf('ben', 2), done);
    await writeFile(join(old, 'a'), 'old');
    await expect(one.save(jobOf('ben', 1), done)).rejects.toMatchObject({ code: 'workspace' });
    expect(await readFile(join((await one.prepare(jobOf('ben', 3))).cwd, 'a'), 'utf8')).toBe('new');
  });

  it('[F-42] keeps the folder for the next turn, with what is not stored, unless another worker had the conversation', async () => {
    const { prepare, save } = await workspaceOf('one');
    const turn = async (epoch: number): Promise<boolean> => {
      const { cwd } = await prepare(jobOf('cat', epoch));
      const kept = existsSync(join(cwd, 'node_modules'));
      await mkdir(join(cwd, 'node_modules'), { recursive: true });
      await save(jobOf('cat', epoch), done);
      return kept;
    };
    expect([await turn(1), await turn(2), await turn(4)]).toEqual([false, true, false]);
  });

  it('[F-42] refuses too many or too large files, and reports damaged contents', async () => {
    const { prepare, save } = await workspaceOf('small', { maxFiles: 2, maxBytes: 10 });
    const { cwd } = await prepare(jobOf('dan', 1));
    await writeFile(join(cwd, 'a'), 'x'.repeat(11));
    await expect(save(jobOf('dan', 1), done)).rejects.toThrow('more than 10 bytes');
    for (const file of ['a', 'b', 'c']) await writeFile(join(cwd, file), file);
    await expect(save(jobOf('dan', 1), done)).rejects.toThrow('more than 2 files');
    await rm(join(cwd, 'c'));
    await save(jobOf('dan', 1), done);
    const { damage } = await open();
    await damage();
    await expect((await workspaceOf('other')).prepare(jobOf('dan', 2))).rejects.toThrow(/of the file [ab] is damaged/);
  });

  it('[F-42] prune() removes contents that no conversation uses, but none that a turn is about to use', async () => {
    const { archive, age, blobs } = await open();
    const { prepare, save } = await workspaceOf('one');
    await archive.prune({ keys: ['ann', 'ben', 'cat', 'dan'] });
    await age();
    await archive.prune();
    expect(await blobs()).toBe(0);
    const { cwd } = await prepare(jobOf('eve', 1));
    await writeFile(join(cwd, 'a'), 'used');
    await save(jobOf('eve', 1), done);
    await archive.putBlob('0'.repeat(64), Buffer.from('about to be used'));
    await age();
    expect(await archive.missing(['0'.repeat(64), '1'.repeat(64)])).toEqual(['1'.repeat(64)]);
    await archive.prune();
    expect(await blobs()).toBe(2);
    await age();
    await archive.prune();
    expect(await blobs()).toBe(1);
  });
});
