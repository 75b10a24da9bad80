import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inMemoryCli, recording, type Script, script } from '@coxswain/testkit';
import { allow, openSession, type Turn } from 'coxswain';
import { describe, expect, it, onTestFinished } from 'vitest';
import type {
  ConversationsPage,
  EntriesPage,
  Entry,
  FramesPage,
  RecordingInfo,
  ServerInfo,
  TurnsPage,
} from '../../src/api.ts';
import { inspect } from '../../src/inspect.ts';
import { Browser } from '../support/browser.ts';

async function recorded(): Promise<{ folder: string; file: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'inspector-recording-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'row.ndjson');
  const agent = script().otherwise((turn) =>
    turn
      .useTool('Bash', { command: 'row' }, { result: 'rowed', permission: 'ask', durationMs: 20 })
      .say('Rowed.')
      .result({ costUsd: 0.5 }),
  );
  const { transport } = inMemoryCli(agent);
  const tape = recording(file, { inner: transport });
  const session = openSession({ transport: tape, canUseTool: () => allow() });
  await session.send('Row!').result();
  await session.close();
  return { folder, file };
}

describe('a recording', () => {
  it('[I-1] is a conversation, and plays step by step to the same end', async () => {
    const { folder } = await recorded();
    await writeFile(join(folder, 'broken.ndjson'), '{"not": "a cassette"}\n');
    await using inspector = await inspect([], { recordings: [folder] });
    const browser = await new Browser(inspector).login();
    const { recordings } = await browser.get<{ recordings: RecordingInfo[] }>('api/recordings');
    expect(recordings).toMatchObject([{ file: 'row.ndjson', run: 1, title: 'Row!' }]);
    const [info] = recordings;
    const { entries } = await browser.get<EntriesPage>(`api/conversations/${info?.conversation}/entries`);
    const main = entries.filter(({ kind }) => kind !== 'system');
    expect(main.map(({ kind }) => kind)).toEqual(['prompt', 'tool', 'text', 'result']);
    expect(main[3]).toMatchObject({ ok: true, cost: { usd: expect.closeTo(0.5, 2) } });
    const { frames, total, durationMs } = await browser.get<FramesPage>(`api/recordings/${info?.id}/frames`);
    expect(frames).toHaveLength(total);
    const times = frames.map(({ atMs }) => atMs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(durationMs).toBeGreaterThanOrEqual(times.at(-1) ?? 0);
    const played = new Map<number, Entry>();
    for (const { entry } of frames) played.set(entry.n, entry);
    expect([...played.values()]).toEqual(entries);
    const running = frames.findIndex(({ entry }) => entry.kind === 'tool' && entry.state === 'running');
    const done = frames.findIndex(({ entry }) => entry.kind === 'tool' && entry.state === 'ok');
    expect(running).toBeLessThan(done);
    const broken = (await browser.conversations()).find(({ title }) => title === 'broken.ndjson');
    expect(broken).toMatchObject({ state: 'failed', stateNote: 'cannot be read', file: 'broken.ndjson' });
    const page = await browser.get<EntriesPage>(`api/conversations/${broken?.id}/entries`);
    expect(page.entries).toMatchObject([
      { kind: 'error', message: expect.stringMatching(/^broken\.ndjson:1: [^(]*$/) },
    ]);
  });

  it('[I-9] of a CLI that exited with 1 has failed, and one of an unfinished turn was interrupted', async () => {
    const { folder } = await recorded();
    const record = async (name: string, agent: Script, act: (turn: Turn) => unknown) => {
      const tape = recording(join(folder, name), { inner: inMemoryCli(agent).transport });
      const session = openSession({ transport: tape, includePartialMessages: true });
      await act(session.send('Row!'));
      await session.close();
    };
    await record(
      'exit.ndjson',
      script().otherwise((turn) => turn.say('I row.').exit(1)),
      (turn) => turn.result().catch(() => {}),
    );
    await record(
      'cut.ndjson',
      script().otherwise((turn) => turn.say('I row.').silence()),
      async (turn) => {
        turn.result().catch(() => {});
        for await (const message of turn) if (message.type === 'assistant') break;
      },
    );
    await using inspector = await inspect([], { recordings: [folder] });
    const browser = await new Browser(inspector).login();
    const all = await browser.conversations();
    const one = (name: string) => all.find((each) => each.file === name);
    expect(one('row.ndjson')).toMatchObject({ state: 'done', outcome: 'completed' });
    expect(one('exit.ndjson')).toMatchObject({ state: 'failed', outcome: 'failed', stateNote: 'exit 1' });
    expect(one('cut.ndjson')).toMatchObject({ state: 'done', outcome: 'interrupted' });
    const { turns } = await browser.get<TurnsPage>(`api/conversations/${one('exit.ndjson')?.id}/turns`);
    expect(turns).toMatchObject([{ outcome: 'failed', reason: 'no-result', endedAt: expect.any(Number) }]);
  });

  it('[I-1] is identified by its file and run; a pipe in its folder is skipped', async () => {
    const { folder, file } = await recorded();
    await writeFile(join(folder, 'twice.ndjson'), `${await readFile(file, 'utf8')}`);
    await mkdir(join(folder, 'folder.ndjson'));
    if (process.platform !== 'win32') execFileSync('mkfifo', [join(folder, 'pipe.ndjson')]);
    await using inspector = await inspect([], { recordings: [folder] });
    const browser = await new Browser(inspector).login();
    const files = (await browser.conversations()).map((one) => one.file);
    expect(files.sort()).toEqual(['row.ndjson', 'twice.ndjson']);
  });

  it('[I-1] source reports how many older recordings it omits', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'inspector-recordings-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await Promise.all(
      Array.from({ length: 203 }, async (_, at) => {
        await writeFile(join(folder, `${at}.ndjson`), '');
        await utimes(join(folder, `${at}.ndjson`), at, at);
      }),
    );
    await using inspector = await inspect([], { recordings: [folder] });
    const browser = await new Browser(inspector).login();
    const { sources } = await browser.get<ServerInfo>('api/info');
    expect(sources.find(({ kind }) => kind === 'recording')?.note).toMatch(/newest 200 .* 3 older/);
    const titles = (await browser.get<ConversationsPage>('api/conversations?limit=500')).conversations;
    expect(titles).toHaveLength(200);
    expect(titles.map(({ title }) => title)).not.toContain('2.ndjson');
  });

  it('[I-1] is refused with its path if it does not exist', async () => {
    await expect(inspect([], { recordings: ['/nowhere/x.ndjson'] })).rejects.toThrow('/nowhere/x.ndjson');
  });
});
