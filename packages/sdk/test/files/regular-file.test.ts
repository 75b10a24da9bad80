import { linkSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkOpened } from '../../src/files/real-folders.ts';
import { createRegular, openRegular, readRegular, replaceRegular } from '../../src/files/regular-file.ts';
import { temporaryFolder } from '../fixtures/cli/files.ts';

describe('a file below a root', () => {
  it('[D-3] is read up to the size limit', async () => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'a'), 'hello');
    expect(String(await readRegular(join(root, 'a'), root, 5))).toBe('hello');
    await expect(readRegular(join(root, 'a'), root, 4)).rejects.toThrow('it has 5 bytes, more than 4');
  });

  it('[D-3] is created with its folders, accessible only to this user, and never overwrites a file', async () => {
    const root = join(temporaryFolder(), 'root');
    const path = join(root, 'a', 'b', 'c');
    await createRegular(path, root, 'one');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o700);
    await expect(createRegular(path, root, 'two')).rejects.toMatchObject({ code: 'EEXIST' });
    await replaceRegular(path, root, 'two');
    expect(readFileSync(path, 'utf8')).toBe('two');
  });

  it('[D-3] is refused if it is above the root', async () => {
    const root = temporaryFolder();
    await expect(createRegular(join(root, '..', 'x'), root, '')).rejects.toThrow('is not below');
  });

  it('[D-3] is refused if a folder above it became a link during opening', async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'real'));
    writeFileSync(join(root, 'real', 'a'), 'hello');
    const file = await open(join(root, 'real', 'a'));
    renameSync(join(root, 'real'), join(root, 'moved'));
    symlinkSync(join(root, 'moved'), join(root, 'real'));
    await expect(checkOpened(file, join(root, 'real', 'a'), root)).rejects.toThrow('is not a folder, or is a link');
    await file.close();
  });

  it('[D-3] is refused if it was opened through a link that is a folder now', async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'victim'));
    writeFileSync(join(root, 'victim', 'a'), 'secret');
    symlinkSync(join(root, 'victim'), join(root, 'real'));
    const file = await open(join(root, 'real', 'a'));
    renameSync(join(root, 'real'), join(root, 'moved'));
    mkdirSync(join(root, 'real'));
    writeFileSync(join(root, 'real', 'a'), 'harmless');
    await expect(checkOpened(file, join(root, 'real', 'a'), root)).rejects.toThrow('was replaced');
    await file.close();
  });

  it('[D-3] may have a second hard link', async () => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'a'), 'hello');
    linkSync(join(root, 'a'), join(root, 'b'));
    await (await openRegular(join(root, 'b'), root)).close();
  });
});
