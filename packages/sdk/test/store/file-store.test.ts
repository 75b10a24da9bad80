import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fileStore } from '../../src/store/file-store.ts';

const root = mkdtempSync(join(tmpdir(), 'cox-file-store-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('a store in a folder', () => {
  it('[G-6] leaves no part of a file that could not be written', async () => {
    const { blobs } = fileStore(root);
    const key = { projectKey: 'p', sessionId: 's' };
    await blobs.put(key, 'a/b', Buffer.from('x'));
    await expect(blobs.put(key, 'a', Buffer.from('y'))).rejects.toThrow();
    expect(await blobs.list(key)).toEqual(['a/b']);
    const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => basename(name));
    expect(names.filter((name) => name.startsWith('.'))).toEqual([]);
  });
});
