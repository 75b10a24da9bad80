import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { script } from '@coxswain/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { storeStage } from './stage.ts';

const THEIRS = '99999999-9999-4999-8999-999999999999';
const KEY = { projectKey: 'default', sessionId: THEIRS };
const entry = (text: string) => ({ type: 'user', uuid: `u-${text}`, message: { role: 'user', content: text } });

/** A CLI that mirrors an entry of a transcript, such as one that an agent has written to its stdout. */
const mirroring = (filePath: string) =>
  script().otherwise((turn) =>
    turn.message({ type: 'transcript_mirror', filePath, entries: [entry('forged')] }).say('Done.'),
  );

/** The configuration directory of a user, with the tool results of a conversation. */
function theirFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cox-theirs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const results = join(folder, 'projects', 'p', THEIRS, 'tool-results');
  mkdirSync(results, { recursive: true });
  writeFileSync(join(results, 'a.txt'), 'private');
  return folder;
}

describe('the transcript of another conversation', () => {
  it('[G-1, D-3] gets no entry and no file from a CLI that names its path', async () => {
    const configDir = theirFolder();
    const stage = storeStage(mirroring(join(configDir, 'projects', 'p', `${THEIRS}.jsonl`)));
    await stage.inner.append(KEY, [entry('theirs')], { id: 'b' });
    const session = stage.open();
    await session.send('Go.').text();
    await session.close();
    expect(await stage.entries(THEIRS)).toEqual([entry('theirs')]);
    expect(await stage.inner.blobs.list(KEY)).toEqual([]);
    expect(await stage.entries(session.id)).not.toEqual([]);
    expect(stage.warnings).toMatchObject([{ code: 'store-failed', context: { sessionId: THEIRS, entries: 0 } }]);
  });

  it('[G-1, D-3] is not read from a folder that is not of the session', async () => {
    const stage = storeStage(mirroring(join(theirFolder(), 'projects', 'p', `${THEIRS}.jsonl`)));
    const session = stage.open({ storeOnly: true });
    await session.send('Go.').text();
    await session.close();
    expect(await stage.entries(THEIRS)).toEqual([]);
    expect(await stage.inner.blobs.list(KEY)).toEqual([]);
    expect(stage.warnings).toMatchObject([{ code: 'store-failed', context: { entries: 0 } }]);
  });
});
