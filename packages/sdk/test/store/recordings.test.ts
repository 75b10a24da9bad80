import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultLimits } from '../../src/limits.ts';
import { memoryStore } from '../../src/store/memory-store.ts';
import { loadConversation, writeConversation } from '../../src/store/restore.ts';
import type { StoreEntry } from '../../src/store/session-store.ts';
import { StoredConversation } from '../../src/store/stored-conversation.ts';

/** What a release sent with `--session-mirror`: a plain turn, a tool, a subagent, a compaction, and a turn after it. */
interface Frame {
  readonly type: 'system' | 'result' | 'transcript_mirror';
  readonly filePath: string;
  readonly entries: readonly StoreEntry[];
}

const PROJECT = 'p';

describe.each(['325', '197'])('the recorded mirror of 2.1.%s', (release) => {
  const text = readFileSync(new URL(`./recordings/mirror.${release}.ndjson`, import.meta.url), 'utf8');
  const frames = text
    .trimEnd()
    .split('\n')
    .map((line): Frame => JSON.parse(line));
  const mirrored = frames.filter(({ type }) => type === 'transcript_mirror');

  it('[G-2] has every entry with a uuid in the store at the result of its turn', async () => {
    const store = memoryStore();
    const stored = new StoredConversation({ store, projectKey: PROJECT, limits: defaultLimits, warn: () => {} });
    let between = false;
    for (const { type, filePath, entries } of frames) {
      if (type === 'system') between = false;
      else if (type === 'result') {
        between = true;
        expect(await stored.flush()).toBeUndefined();
        expect(stored.pending).toBe(0);
      } else {
        expect(between && entries.some(({ uuid }) => uuid !== undefined)).toBe(false);
        expect(stored.take(filePath, entries)).toBe(true);
      }
    }
    await stored.end();
    const [session] = await store.listSessions(PROJECT);
    const { main, others } =
      (await loadConversation(store, { projectKey: PROJECT, sessionId: session?.sessionId ?? '' }, defaultLimits)) ??
      {};
    expect([main?.length, others?.size]).toEqual([ofMain().length, 1]);
  });

  it('[G-3, G-5] is written to files line by line as it came, and the description of a subagent beside its transcript', async () => {
    const store = memoryStore();
    const stored = new StoredConversation({ store, projectKey: PROJECT, limits: defaultLimits, warn: () => {} });
    for (const { filePath, entries } of mirrored) stored.take(filePath, entries);
    await stored.end();
    const [{ sessionId = '' } = {}] = await store.listSessions(PROJECT);
    const configDir = mkdtempSync(join(tmpdir(), 'cox-recording-'));
    onTestFinished(() => rmSync(configDir, { recursive: true, force: true }));
    const conversation = await loadConversation(store, { projectKey: PROJECT, sessionId }, defaultLimits);
    if (!conversation) throw new Error('Nothing was stored.');
    await writeConversation(conversation, { configDir, project: configDir, sessionId });
    const lines = ofMain().map((entry) => `${JSON.stringify(entry)}\n`);
    expect(readFileSync(join(configDir, `${sessionId}.jsonl`), 'utf8')).toBe(lines.join(''));
    const [agent = ''] = conversation.others.keys();
    const about = JSON.parse(readFileSync(join(configDir, sessionId, `${agent}.meta.json`), 'utf8'));
    expect(about).toMatchObject({ agentType: 'general-purpose', description: 'a look' });
    expect(about).not.toHaveProperty('type');
    expect(readFileSync(join(configDir, sessionId, `${agent}.jsonl`), 'utf8')).not.toContain('agent_metadata');
  });

  function ofMain(): readonly StoreEntry[] {
    return mirrored.filter(({ filePath }) => !filePath.includes('/subagents/')).flatMap(({ entries }) => entries);
  }
});
