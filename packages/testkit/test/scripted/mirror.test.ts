import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSession } from 'coxswain';
import { memoryStore, type StoreEntry } from 'coxswain/store';
import { afterAll, describe, expect, it } from 'vitest';
import { inMemoryCli, script, scriptedCli } from '../../src/index.ts';

const root = mkdtempSync(join(tmpdir(), 'cox-mirror-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const agent = script()
  .onPrompt('look', (turn) =>
    turn
      .useAgent({ description: 'look', prompt: 'Look.' }, (sub) => sub.useTool('Bash', { command: 'ls' }).say('None.'))
      .say('No.'),
  )
  .otherwise((turn) => turn.useTool('Bash', { command: 'ls' }).say('Heard.'));

const argv = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose', '--replay-user-messages'];

/** The frames of some turns on a scripted agent in memory, as the host reads them. */
async function framesOf(prompts: readonly string[], flags: readonly string[]): Promise<Record<string, unknown>[]> {
  const transport = inMemoryCli(agent).transport();
  await transport.start({ argv: ['claude', ...argv, ...flags], env: { HOME: root }, cwd: '/work', privateFiles: [] });
  const lines: string[] = [];
  const reading = (async () => {
    let rest = '';
    for await (const chunk of transport.output) rest += Buffer.from(chunk).toString();
    lines.push(...rest.split('\n').filter(Boolean));
  })();
  for (const content of prompts) {
    const uuid = crypto.randomUUID();
    await transport.write(`${JSON.stringify({ type: 'user', uuid, message: { role: 'user', content } })}\n`);
  }
  await transport.endInput();
  await reading;
  return lines.map((line) => JSON.parse(line));
}

describe('the scripted CLI with --session-mirror', () => {
  it('[K-1, G-2] mirrors every entry with a uuid before the result of its turn; a note follows it', async () => {
    const frames = await framesOf(['first'], ['--session-mirror']);
    const result = frames.findIndex(({ type }) => type === 'result');
    const typesOf = (part: typeof frames): unknown[] =>
      part.flatMap(({ type, entries }) =>
        type === 'transcript_mirror' ? (entries as StoreEntry[]).map((e) => e.type) : [],
      );
    expect(typesOf(frames.slice(0, result))).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(typesOf(frames.slice(result))).toEqual(['last-prompt']);
    expect(await framesOf(['first'], [])).not.toContainEqual(expect.objectContaining({ type: 'transcript_mirror' }));
  });

  it('[K-1, G-2] writes a separate file for a subagent, which starts with its description', async () => {
    const frames = await framesOf(['look'], ['--session-mirror']);
    const ofAgent = frames.filter(({ filePath }) => String(filePath).includes('/subagents/agent-'));
    const entries = ofAgent.flatMap(({ entries: some }) => some as StoreEntry[]);
    expect(entries[0]).toMatchObject({ type: 'agent_metadata', agentType: 'general-purpose', description: 'look' });
    expect(entries.slice(1).every(({ isSidechain }) => isSidechain === true)).toBe(true);
  });

  it('[K-1, G-5] resumes from the files of a configuration directory and continues at their end', async () => {
    await using cli = await scriptedCli(agent);
    const configDir = mkdtempSync(join(root, 'config-'));
    const id = crypto.randomUUID();
    mkdirSync(join(configDir, 'projects', '-anywhere'), { recursive: true });
    const line = { parentUuid: null, type: 'user', uuid: 'before', message: { role: 'user', content: 'hi' } };
    writeFileSync(join(configDir, 'projects', '-anywhere', `${id}.jsonl`), `${JSON.stringify(line)}\n`);
    const store = memoryStore();
    await using session = openSession({ cli: cli.path, configDir, resume: id, sessionStore: store });
    await session.send('on').result();
    expect(session.id).toBe(id);
    const stored = (await store.load({ projectKey: 'default', sessionId: id })) ?? [];
    expect(stored.map(({ uuid }) => uuid).slice(0, 1)).toEqual(['before']);
    expect(stored[1]).toMatchObject({ parentUuid: 'before' });
    const fork = await session.fork();
    await fork.send('in the fork').result();
    const forked = (await store.load({ projectKey: 'default', sessionId: fork.id ?? '' })) ?? [];
    expect(forked.map(({ uuid }) => uuid)).toEqual(expect.arrayContaining(stored.flatMap(({ uuid }) => uuid ?? [])));
    await fork.close();
  });
});
