import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { OptionsError, SessionFileError } from '../../src/errors/index.ts';
import { getSession, listSessions } from '../../src/transcripts/index.ts';
import { assistant, Disk, type Line, lastPrompt, sessionId, summary, user } from './disk.ts';

const TALK = [user(1, null, 'first prompt'), assistant(2, 1, 'first answer')];

describe('listing sessions', () => {
  it('[D-1] returns the details from the start and the end of each file, newest first', async () => {
    using disk = new Disk();
    const older = disk.write(sessionId(1), TALK, { at: 1_000 });
    const path = disk.write(sessionId(2), [...TALK, user(3, 2, 'second prompt'), lastPrompt(3, 'second prompt')], {
      at: 2_000,
    });
    const sessions = await listSessions({ configDir: disk.configDir });
    expect(sessions).toEqual([
      {
        id: sessionId(2),
        title: 'first prompt',
        firstPrompt: 'first prompt',
        lastPrompt: 'second prompt',
        cwd: '/somewhere',
        gitBranch: 'main',
        createdAt: Date.UTC(2026, 0, 1, 0, 0, 1),
        updatedAt: 2_000_000,
        sizeBytes: expect.any(Number),
        path,
      },
      expect.objectContaining({ id: sessionId(1), updatedAt: 1_000_000, path: older }),
    ]);
    expect(JSON.parse(JSON.stringify(sessions))).toEqual(sessions);
  });

  it('[D-1] returns a page, sorted by the last change or by the start', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    for (const n of [1, 2, 3, 4]) disk.write(sessionId(n), [user(n, null, 'x')], { at: 100 - n });
    const ids = async (options: object): Promise<number[]> =>
      (await listSessions({ configDir, ...options })).map(({ id }) => Number(id.slice(-1)));
    expect(await ids({})).toEqual([1, 2, 3, 4]);
    expect(await ids({ limit: 2 })).toEqual([1, 2]);
    expect(await ids({ limit: 2, offset: 1 })).toEqual([2, 3]);
    expect(await ids({ offset: 9 })).toEqual([]);
    expect(await ids({ sort: 'created' })).toEqual([4, 3, 2, 1]);
    expect(await ids({ sort: 'created', limit: 1, offset: 1 })).toEqual([3]);
  });

  it('[D-1] can be limited to one working directory, even through a link or after its deletion', async () => {
    using disk = new Disk();
    const { configDir, root } = disk;
    disk.write(sessionId(1), TALK);
    disk.write(sessionId(2), TALK, { cwd: '/gone/since' });
    symlinkSync(disk.cwd, join(root, 'link'));
    expect(await listSessions({ configDir })).toHaveLength(2);
    for (const cwd of [disk.cwd, join(root, 'link'), `${disk.cwd}/../project`]) {
      expect(await listSessions({ configDir, cwd })).toMatchObject([{ id: sessionId(1) }]);
    }
    expect(await listSessions({ configDir, cwd: '/gone/since' })).toMatchObject([{ id: sessionId(2) }]);
    expect(await listSessions({ configDir, cwd: '/never/there' })).toEqual([]);
  });

  it('[D-1] searches CLAUDE_CONFIG_DIR, then ~/.claude', async () => {
    using disk = new Disk();
    disk.write(sessionId(1), TALK);
    try {
      vi.stubEnv('CLAUDE_CONFIG_DIR', disk.configDir);
      expect(await listSessions()).toHaveLength(1);
      vi.stubEnv('CLAUDE_CONFIG_DIR', undefined);
      vi.stubEnv('HOME', join(disk.root, 'home'));
      expect(await listSessions()).toEqual([]);
      mkdirSync(join(disk.root, 'home'));
      symlinkSync(disk.configDir, join(disk.root, 'home', '.claude'));
      expect(await listSessions()).toHaveLength(1);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it.each<[string, Line[], string]>([
    ['the latest custom name', [named('old'), ...TALK, named('new'), { type: 'ai-title', aiTitle: 'ai' }], 'new'],
    ['the generated name', [...TALK, { type: 'ai-title', aiTitle: 'ai' }], 'ai'],
    ['a summary of an older CLI', [{ type: 'summary', summary: 'sum' }, ...TALK], 'sum'],
    [
      'the text among other blocks',
      [user(1, null, [{ type: 'image' }, { type: 'text', text: 'look\n  here' }])],
      'look here',
    ],
    [
      'the first typed prompt',
      [
        ...[user(1, null, 'Caveat: x', { isMeta: true }), user(2, 1, '<command-name>/clear</command-name>')],
        ...[user(3, 2, '<local-command-stdout></local-command-stdout>'), user(4, 3, 'typed')],
      ],
      'typed',
    ],
    [
      'a slash command, if nothing was typed',
      [user(1, null, '<command-name>/review</command-name>\n<command-args>src</command-args>')],
      '/review src',
    ],
    ['the first prompt instead of the summary of a compaction', [summary(1, 0), user(2, 1, 'typed')], 'typed'],
    ['the start of a long prompt', [user(1, null, 'word '.repeat(100))], `${'word '.repeat(39)}word…`],
    ['nothing', [assistant(1, null, 'x')], ''],
  ])('[D-1] uses as the title %s', async (_what, lines, title) => {
    using disk = new Disk();
    disk.write(sessionId(1), lines);
    expect((await getSession(sessionId(1), { configDir: disk.configDir })).title).toBe(title);
  });

  it('[D-1] finds the first prompt and the latest title in a file of several megabytes without reading all of it', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    const filler = Array.from({ length: 40 }, (_, index) => assistant(10 + index, 9 + index, 'y'.repeat(100_000)));
    disk.write(sessionId(1), [user(1, null, 'first prompt'), ...filler, named('at the end'), lastPrompt(49)]);
    // Only a part of this prompt is within the part of the file that is read.
    disk.write(sessionId(2), [user(1, null, `"quoted" ${'z'.repeat(700_000)}`), ...filler]);
    expect(await getSession(sessionId(1), { configDir })).toMatchObject({
      ...{ title: 'at the end', firstPrompt: 'first prompt', gitBranch: 'main', cwd: '/somewhere' },
    });
    const { title, cwd } = await getSession(sessionId(2), { configDir });
    expect(title).toMatch(/^"quoted" z{190}…$/);
    expect(cwd).toBe('/somewhere');
  });

  it('[D-1] distinguishes custom from generated titles, even at the start of a long file', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    const generated = (aiTitle: string): Line => ({ type: 'ai-title', aiTitle });
    const filler = assistant(3, 2, 'y'.repeat(100_000));
    disk.write(sessionId(1), [...TALK, generated('old'), generated('new'), filler]);
    disk.write(sessionId(2), [...TALK, named('given'), filler, generated('made')]);
    expect(await getSession(sessionId(1), { configDir })).toMatchObject({ title: 'new', generatedTitle: 'new' });
    expect(await getSession(sessionId(1), { configDir })).not.toHaveProperty('customTitle');
    expect(await getSession(sessionId(2), { configDir })).toMatchObject({
      ...{ title: 'given', customTitle: 'given', generatedTitle: 'made' },
    });
  });

  it('[D-1] takes the title from the title file if the transcript has none', async () => {
    using disk = new Disk();
    disk.write(sessionId(1), TALK);
    const folder = join(disk.projectFolder(), sessionId(1));
    mkdirSync(folder);
    writeFileSync(join(folder, 'custom-title.json'), '{"customTitle":"beside"}');
    expect(await listSessions({ configDir: disk.configDir })).toMatchObject([
      { title: 'beside', customTitle: 'beside' },
    ]);
  });

  it('[D-1] skips files without a conversation, other files, and links', async () => {
    using disk = new Disk();
    disk.write(sessionId(1), [{ type: 'mode', mode: 'normal' }, named('only a name')]);
    disk.write(sessionId(2), [user(1, null, 'x', { isSidechain: true })]);
    disk.write('agent-12345678', TALK);
    disk.write(sessionId(3), []);
    using elsewhere = new Disk();
    const outside = elsewhere.write(sessionId(9), TALK);
    symlinkSync(outside, disk.path(sessionId(4)));
    symlinkSync(elsewhere.projectFolder(), join(disk.configDir, 'projects', 'linked'));
    mkdirSync(disk.path(sessionId(5)));
    expect(await listSessions({ configDir: disk.configDir })).toEqual([]);
  });

  it('[D-1] is empty for a missing directory, and fails for an unreadable one', async () => {
    using disk = new Disk();
    expect(await listSessions({ configDir: join(disk.root, 'none') })).toEqual([]);
    writeFileSync(join(disk.configDir, 'projects'), 'a file');
    expect(await listSessions({ configDir: disk.configDir })).toEqual([]);
    const long = join(disk.root, 'x'.repeat(300));
    await expect(listSessions({ configDir: long })).rejects.toBeInstanceOf(SessionFileError);
  });

  it('[D-1, O-4] rejects invalid options and lists all of them', async () => {
    // @ts-expect-error: an untyped caller may do this
    const listing = listSessions({ limit: 0, sort: 'name', dir: '/x', cwd: 'a\0b' });
    await expect(listing).rejects.toBeInstanceOf(OptionsError);
    await expect(listing).rejects.toMatchObject({
      problems: [{ path: 'options.limit' }, { path: 'options.sort' }, { path: 'options.dir' }, { path: 'options.cwd' }],
    });
  });

  it('[D-1] never throws, for any file content', async () => {
    using disk = new Disk();
    const piece = fc.oneof(
      fc.json(),
      fc.string(),
      fc.constantFrom(
        '{"parentUuid":',
        '{"type":"custom-title","customTitle":',
        '\\',
        '"',
        '{"type":"',
        '\0',
        '\u{1F600}',
      ),
      fc.constantFrom(...TALK, named('x'), lastPrompt(1)).map((line) => JSON.stringify(line)),
    );
    let n = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(piece, { maxLength: 3 }).map((parts) => parts.join(''))), async (lines) => {
        n += 1;
        const path = disk.write(sessionId(n), lines, { end: '' });
        try {
          const sessions = await listSessions({ configDir: disk.configDir });
          for (const { title } of sessions) expect(typeof title).toBe('string');
        } finally {
          rmSync(path);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('the performance of listing', () => {
  it('[D-1] takes less than 300 ms for 2,000 sessions without blocking the event loop', async () => {
    using disk = new Disk();
    const { configDir } = disk;
    const bytes = writeMany(configDir, 2_000);
    await listSessions({ configDir, limit: 1 }); // loads the code
    const times: Record<'wall' | 'cpu', number[]> = { wall: [], cpu: [] };
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 1);
    for (let round = 0; round < 5; round += 1) {
      const start = performance.now();
      const used = process.cpuUsage();
      expect(await listSessions({ configDir })).toHaveLength(2_000);
      const { user: ours, system } = process.cpuUsage(used);
      times.cpu.push((ours + system) / 1_000);
      times.wall.push(performance.now() - start);
    }
    clearInterval(ticking);
    const paged = performance.now();
    expect(await listSessions({ configDir, limit: 20 })).toHaveLength(20);
    console.info(
      `listSessions: 2,000 files of ${Math.round(bytes / 1e6)} MB in ${median(times.wall)} ms (median of 5), ` +
        `${median(times.cpu)} ms of CPU; the first 20 of them in ${Math.round(performance.now() - paged)} ms`,
    );
    expect(turns).toBeGreaterThan(5);
    // On a busy machine, wall time depends on other processes.
    expect(Math.min(median(times.wall), median(times.cpu))).toBeLessThan(300);
  }, 60_000);
});

function median(times: readonly number[]): number {
  return Math.round([...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN);
}

/** Writes sessions like 2.1.325: a few lines of conversation between records of requests; one in a hundred is large. */
function writeMany(configDir: string, count: number): number {
  const json = (lines: readonly Line[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const record = { type: 'api-request-blob', message: 'r'.repeat(9_000) };
  const turns = Array.from({ length: 4 }, (_, n) => [
    ...[user(2 * n + 1, 2 * n || null, 'a prompt of some words'), record],
    assistant(2 * n + 2, 2 * n + 1, 'an answer '.repeat(30)),
  ]);
  const talk = json([{ type: 'queue-operation', timestamp: '2026-01-01T00:00:00Z' }, ...turns.flat(), lastPrompt(8)]);
  const end = json([named('A name'), { type: 'cost-state', totalCostUSD: 1 }]);
  const large = json([assistant(9, 8, 'w'.repeat(3_000_000))]);
  let bytes = 0;
  for (let n = 0; n < count; n += 1) {
    const folder = join(configDir, 'projects', `-project-${n % 40}`);
    if (n < 40) mkdirSync(folder, { recursive: true });
    const text = `${talk}${n % 100 === 0 ? large : ''}${n % 3 === 0 ? end : ''}`;
    writeFileSync(join(folder, `${sessionId(n)}.jsonl`), text);
    bytes += text.length;
  }
  return bytes;
}

function named(customTitle: string): Line {
  return { type: 'custom-title', customTitle };
}
