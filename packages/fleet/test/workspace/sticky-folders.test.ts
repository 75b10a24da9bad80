import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { StickyFolders } from '../../src/workspace/sticky-folders.ts';
import { excessFolders, parseState, stateText } from '../../src/workspace/sticky-state.ts';

const DAY = 24 * 3_600_000;

async function inFolder(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'coxswain-sticky-unit-'));
  try {
    await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

const job = (epoch: number, previousPlace: string | null, key = 'ann') => ({
  key,
  epoch,
  previousEpoch: epoch - 1,
  previousPlace,
});

afterEach(() => {
  vi.useRealTimers();
});

describe('the folders of sticky workspaces', () => {
  it('[F-52] are used again by another process only if the turn before ended in order', () =>
    inFolder(async (directory) => {
      const terms = { directory, maxFolders: 10, maxAgeMs: DAY };
      const [one, two] = [new StickyFolders(terms), new StickyFolders(terms)];
      const place = await one.place();
      expect(await two.place()).toBe(place);
      const first = await one.take(job(1, null));
      expect(first.isFresh).toBe(true);
      await writeFile(join(first.cwd, 'a'), 'a');
      await one.keep(job(1, null));
      expect(await two.take(job(2, place))).toEqual({ cwd: first.cwd, isFresh: false });
      expect(await readdir(first.cwd)).toEqual(['a']);
      // The second process is ended in the middle of its turn.
      expect((await one.take(job(3, place))).isFresh).toBe(true);
      expect(await readdir(first.cwd)).toEqual([]);
      // This process has ended its own turn, whatever became of it.
      await writeFile(join(first.cwd, 'b'), 'b');
      expect((await one.take(job(4, place))).isFresh).toBe(false);
      // Another disk had the conversation since.
      await one.keep(job(4, place));
      expect((await one.take(job(5, 'another'))).isFresh).toBe(true);
    }));

  it('[F-52] are empty if what is stored about them was changed, or they are no folders', () =>
    inFolder(async (directory) => {
      const folders = new StickyFolders({ directory, maxFolders: 10, maxAgeMs: DAY });
      const place = await folders.place();
      const { cwd } = await folders.take(job(1, null));
      await folders.keep(job(1, null));
      await writeFile(join(cwd, '..', 'state.json'), '{"key":1}');
      expect((await folders.take(job(2, place))).isFresh).toBe(true);
      await folders.keep(job(2, place));
      await rm(cwd, { recursive: true });
      await writeFile(cwd, 'no folder');
      expect((await folders.take(job(3, place))).isFresh).toBe(true);
      await rm(join(cwd, '..'), { recursive: true });
      await expect(folders.keep(job(3, place))).rejects.toMatchObject({ code: 'workspace' });
      await writeFile(join(directory, 'place'), 'x');
      const next = new StickyFolders({ directory, maxFolders: 10, maxAgeMs: DAY });
      await expect(next.place()).rejects.toMatchObject({ code: 'workspace' });
    }));

  it('[F-52] above the limit are removed, except those of running turns, and what a dead process had begun to remove', () =>
    inFolder(async (directory) => {
      vi.useFakeTimers({ toFake: ['Date'] });
      const folders = new StickyFolders({ directory, maxFolders: 2, maxAgeMs: DAY });
      const place = await folders.place();
      await folders.take(job(1, null, 'running'));
      await mkdir(join(directory, 'removed-x', 'files'), { recursive: true });
      for (const key of ['a', 'b', 'c', 'd']) {
        await folders.take(job(1, null, key));
        await folders.keep(job(1, null, key));
        vi.setSystemTime(Date.now() + 1_000);
      }
      await folders.take(job(1, null, 'e'));
      await expect
        .poll(async () => (await readdir(directory)).filter((name) => name !== 'place').sort())
        .toEqual(['c-c', 'c-d', 'c-e', 'c-running']);
      // Its files are gone, and the other ones are not.
      expect((await folders.take(job(2, place, 'a'))).isFresh).toBe(true);
      expect((await folders.take(job(2, place, 'd'))).isFresh).toBe(false);
      expect(await readFile(join(directory, 'place'), 'utf8')).toBe(place);
    }));

  it('[F-52] that are too old go first, and those of dead processes after a day', () => {
    const state = (usedAt: number, saved = true) => ({ state: { key: 'k', epoch: 1, saved, process: 'p', usedAt } });
    const now = 100 * DAY;
    const [fresh, old, running, dead] = [
      state(now - 1),
      state(now - 3 * DAY),
      state(now - 1, false),
      state(now - 3 * DAY, false),
    ];
    const limits = { maxFolders: 10, maxAgeMs: 2 * DAY };
    expect(excessFolders([fresh, old, running, dead], limits, now)).toEqual([old, dead]);
    expect(excessFolders([fresh, old, running], { maxFolders: 1, maxAgeMs: 10 * DAY }, now)).toEqual([old]);
    expect(excessFolders([fresh], { ...limits, maxFolders: 1 }, now)).toEqual([]);
  });

  it('[F-52] have a state that is checked when it is read', () => {
    const state = { key: 'k', epoch: 1, saved: true, process: 'p', usedAt: 2 };
    expect(parseState(stateText(state))).toEqual(state);
    for (const text of [
      '',
      'null',
      '[]',
      '{}',
      JSON.stringify({ ...state, saved: 1 }),
      JSON.stringify({ ...state, epoch: '1' }),
    ])
      expect(parseState(text)).toBeUndefined();
  });
});
