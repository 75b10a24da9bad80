import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inMemoryCli, script } from '@coxswain/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import type { StartRequest, Transport } from '../../src/process/transport.ts';
import type { SessionKey, SessionStore } from '../../src/store/session-store.ts';
import { echo, filesIn, type StoreStage, storeStage } from './stage.ts';

const root = mkdtempSync(join(tmpdir(), 'cox-resume-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The files that a CLI finds when it starts. */
interface Start {
  readonly configDir: string;
  readonly mode: string;
  readonly files: ReturnType<typeof filesIn>;
  readonly env: Readonly<Record<string, string>>;
}

/** Another machine: an agent without memory and with a separate home. */
function elsewhere(agent = echo) {
  const home = mkdtempSync(join(root, 'home-'));
  const cwd = mkdtempSync(join(root, 'cwd-'));
  const cli = inMemoryCli(agent);
  const starts: Start[] = [];
  const transport = (): Transport => {
    const inner = cli.transport();
    const { start } = inner;
    inner.start = (request: StartRequest) => {
      const configDir = request.env.CLAUDE_CONFIG_DIR ?? '';
      const mode = configDir === '' ? '' : (statSync(configDir).mode & 0o777).toString(8);
      starts.push({ configDir, mode, files: filesIn(configDir), env: request.env });
      return start.call(inner, request);
    };
    return inner;
  };
  return { home, cwd, cli, starts, options: { transport, cwd, inheritEnv: false, env: { HOME: home } } };
}

const agent = script()
  .onPrompt('look', (turn) =>
    turn.useAgent({ description: 'look', prompt: 'Look around.' }, (sub) => sub.say('Nothing there.')).say('Nothing.'),
  )
  .otherwise((turn) => turn.say('Heard.'));

async function begun(stage: StoreStage): Promise<string> {
  const session = stage.open();
  await session.send('the word is blue').result();
  await session.send('look').result();
  await session.close();
  return session.id ?? '';
}

describe('a new conversation', () => {
  it("[G-5] with storeOnly uses a private configuration directory with the user's settings and can be resumed from the store", async () => {
    const stage = storeStage(agent);
    const there = elsewhere(agent);
    mkdirSync(join(there.home, '.claude'));
    writeFileSync(join(there.home, '.claude', 'settings.json'), '{}');
    // The CLI writes plans of conversations to one folder, and the user writes agents to the other.
    for (const folder of ['plans', 'agents']) {
      mkdirSync(join(there.home, '.claude', folder));
      writeFileSync(join(there.home, '.claude', folder, 'mine.md'), `my ${folder}`);
    }
    const first = stage.open({ ...there.options, storeOnly: true });
    await first.send('the word is blue').result();
    await first.close();
    const [start] = there.starts;
    expect(start).toMatchObject({ mode: '700' });
    expect(start?.configDir.startsWith(there.home)).toBe(false);
    expect(JSON.stringify(start?.files)).toContain('settings.json');
    expect(JSON.stringify(start?.files)).toContain('my agents');
    expect(JSON.stringify(start?.files)).not.toContain('my plans');
    expect(existsSync(start?.configDir ?? '')).toBe(false);
    const here = elsewhere();
    const again = stage.open({ ...here.options, resume: first.id ?? '' });
    await again.send('which word?').result();
    await again.close();
    expect(JSON.stringify(here.starts[0]?.files)).toContain('the word is blue');
  });

  it('[G-1] with storeOnly requires a store', async () => {
    const session = storeStage().open({ sessionStore: undefined, storeOnly: true });
    await expect(session.ready).rejects.toThrow('storeOnly: needs sessionStore');
  });
});

describe('resuming from a store', () => {
  it('[G-5] writes the transcripts to a private configuration directory and removes it at the end', async () => {
    const stage = storeStage(agent);
    const id = await begun(stage);
    const there = elsewhere();
    const session = stage.open({ ...there.options, resume: id });
    await session.send('which word?').result();
    const [start] = there.starts;
    expect(start?.mode).toBe('700');
    const names = start?.files.map(({ name }) => name).sort() ?? [];
    expect(names).toEqual([
      expect.stringMatching(new RegExp(`^projects/-[\\w-]+/${id}.jsonl$`)),
      expect.stringMatching(new RegExp(`^projects/-[\\w-]+/${id}/subagents/agent-\\w+.jsonl$`)),
      expect.stringMatching(new RegExp(`^projects/-[\\w-]+/${id}/subagents/agent-\\w+.meta.json$`)),
    ]);
    expect(names[0]).toContain(there.cwd.replace(/[^a-zA-Z0-9]/g, '-'));
    expect(new Set(start?.files.map(({ mode }) => mode))).toEqual(new Set(['600']));
    expect(start?.files.find(({ name }) => name.endsWith(`${id}.jsonl`))?.text).toContain('the word is blue');
    const meta = JSON.parse(start?.files.find(({ name }) => name.endsWith('.meta.json'))?.text ?? '{}');
    expect(meta).toMatchObject({ agentType: 'general-purpose', description: 'look' });
    expect(session.id).toBe(id);
    await session.close();
    expect(filesIn(start?.configDir ?? '')).toEqual([]);
    expect(() => statSync(start?.configDir ?? '')).toThrow('ENOENT');
    expect(JSON.stringify(await stage.entries(id))).toMatch(/blue.*which word/);
  });

  it('[G-5] gives the CLI the login, the settings and the agents of the machine, but no refresh token', async () => {
    const stage = storeStage();
    const id = await begun(stage);
    const there = elsewhere();
    const config = join(there.home, '.claude');
    mkdirSync(join(config, 'agents'), { recursive: true });
    mkdirSync(join(config, 'projects', 'other'), { recursive: true });
    writeFileSync(join(config, 'agents', 'scout.md'), 'scout');
    writeFileSync(join(config, 'projects', 'other', 'private.jsonl'), 'private');
    writeFileSync(join(config, 'settings.json'), '{"model":"opus"}');
    writeFileSync(join(there.home, '.claude.json'), '{"onboarded":true}');
    const login = { claudeAiOauth: { accessToken: 'at', refreshToken: 'rt', expiresAt: 1 } };
    writeFileSync(join(config, '.credentials.json'), JSON.stringify(login));
    const session = stage.open({ ...there.options, resume: id });
    await session.send('on').result();
    const text = (name: string): string | undefined => there.starts[0]?.files.find((file) => file.name === name)?.text;
    expect(text('settings.json')).toBe('{"model":"opus"}');
    expect(text('.claude.json')).toBe('{"onboarded":true}');
    expect(text('agents/scout.md')).toBe('scout');
    expect(JSON.parse(text('.credentials.json') ?? '')).toEqual({ claudeAiOauth: { accessToken: 'at', expiresAt: 1 } });
    expect(JSON.stringify(there.starts[0]?.files)).not.toContain('private.jsonl');
    await session.close();
    expect(filesIn(join(config, 'agents')).map(({ text }) => text)).toEqual(['scout']);
  });

  it('[G-5] does not store the environment or the settings', async () => {
    const stage = storeStage();
    const session = stage.open({
      apiKey: 'sk-ant-api03-secret-of-the-run',
      env: { TOKEN: 'secret-of-the-env' },
      settings: { env: { A: 'secret-of-the-settings' } },
    });
    await session.send('hello').result();
    await session.close();
    expect(JSON.stringify(await stage.entries(session.id))).not.toMatch(/secret-of/);
  });

  it('[G-5] first imports a conversation that exists only on disk', async () => {
    const stage = storeStage();
    const id = crypto.randomUUID();
    const there = elsewhere();
    const project = join(there.home, '.claude', 'projects', '-old');
    mkdirSync(project, { recursive: true });
    const line = { parentUuid: null, type: 'user', uuid: 'u1', message: { role: 'user', content: 'from disk' } };
    writeFileSync(
      join(project, `${id}.jsonl`),
      `${JSON.stringify(line)}\n{"type":"api-request-blob","text":"system prompt"}\n`,
    );
    const session = stage.open({ ...there.options, resume: id });
    await session.send('on').result();
    expect(there.starts[0]?.files.some(({ text }) => text.includes('from disk'))).toBe(true);
    const stored = JSON.stringify(await stage.entries(id));
    expect(stored).toContain('from disk');
    expect(stored).not.toContain('system prompt');
  });

  it('[G-5] reports a missing conversation like the CLI', async () => {
    const session = storeStage().open({ ...elsewhere().options, resume: crypto.randomUUID() });
    await expect(session.ready).rejects.toThrow('No conversation found');
  });

  it('[G-4, G-5] fails the start if the store cannot be read', async () => {
    const stage = storeStage();
    stage.store.fault = { fault: 'fail' };
    const session = stage.open({ ...elsewhere().options, resume: crypto.randomUUID() });
    await expect(session.ready).rejects.toMatchObject({ code: 'store-failed', operation: 'load' });
  });

  it('[G-5] refuses a store that names a transcript outside of its folder', async () => {
    const stage = storeStage();
    const id = await begun(stage);
    await stage.inner.append({ projectKey: 'default', sessionId: id, subpath: '../../escaped' }, [{ type: 'user' }]);
    const session = stage.open({ ...elsewhere().options, resume: id });
    await expect(session.ready).rejects.toThrow('cannot be the name of a file');
  });

  it.each<[string, object]>([
    ['a text', { load: async () => 'odd' }],
    ['invalid entries', { load: async () => [null, 3] }],
    ['an invalid name', { listSubkeys: async () => [3] }],
  ])('[G-4, G-5] fails the start if the store returns %s', async (_what, odd) => {
    const stage = storeStage(agent);
    const id = await begun(stage);
    // An untyped adapter.
    const sessionStore = { ...stage.inner, ...odd } as SessionStore;
    await expect(stage.open({ resume: id, sessionStore }).ready).rejects.toMatchObject({ code: 'store-failed' });
  });

  it('[G-5] restores tool results, file checkpoints and todos if the store has blobs', async () => {
    const stage = storeStage();
    const first = elsewhere();
    const config = join(first.home, '.claude');
    const session = stage.open(first.options);
    await session.send('one').result();
    const id = session.id ?? '';
    const project = join(config, 'projects', first.cwd.replace(/[^a-zA-Z0-9]/g, '-'));
    const files = {
      [join(project, id, 'tool-results', 'a.txt')]: 'a large result',
      [join(config, 'file-history', id, '0a1b@v1')]: 'the file before',
      [join(config, 'todos', `${id}-agent-${id}.json`)]: '[]',
      [join(config, 'todos', 'another.json')]: 'of another',
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, text);
    }
    await session.send('two').result();
    const key: SessionKey = { projectKey: 'default', sessionId: id };
    expect([...(await stage.inner.blobs.list(key))].sort()).toEqual([
      'file-history/0a1b@v1',
      `todos/${id}-agent-${id}.json`,
      'tool-results/a.txt',
    ]);
    await session.close();
    rmSync(first.home, { recursive: true });
    const there = elsewhere();
    await stage
      .open({ ...there.options, resume: id })
      .send('three')
      .result();
    const found = there.starts[0]?.files.map(({ name, text }) => `${name} ${text}`) ?? [];
    expect(found).toContain(`file-history/${id}/0a1b@v1 the file before`);
    expect(found).toContain(`todos/${id}-agent-${id}.json []`);
    expect(found.some((file) => file.endsWith(`/${id}/tool-results/a.txt a large result`))).toBe(true);
  });
});

describe('a restarting session with a store', () => {
  const dying = script()
    .onPrompt('die', (turn) => turn.say('I am').crash())
    .otherwise((turn) => turn.say('Heard.'));

  it('[G-5, A-2] resumes from the store in a new directory', async () => {
    const stage = storeStage();
    const there = elsewhere(dying);
    const session = stage.open({ ...there.options, restart: { delayMs: 0 } });
    await session.send('the word is blue').result();
    await expect(session.send('die').result()).rejects.toMatchObject({ code: 'turn-interrupted' });
    await session.send('which word?').result();
    expect(there.starts).toHaveLength(2);
    expect(there.starts[1]?.files.some(({ text }) => text.includes('the word is blue'))).toBe(true);
    expect(there.cli.runs()[1]?.argv).toEqual(expect.arrayContaining(['--resume', session.id]));
    expect(stage.warnings.filter(({ code }) => code === 'conversation-lost')).toEqual([]);
    await session.close();
    expect(() => statSync(there.starts[1]?.configDir ?? '')).toThrow('ENOENT');
  });

  it('[G-2, A-2] stores the mirrored part of a turn that the death of the CLI cut off before the next CLI starts', async () => {
    const stage = storeStage();
    stage.store.fault = { fault: 'slow', ms: 20 };
    const there = elsewhere(dying);
    const session = stage.open({ ...there.options, restart: { delayMs: 0 } });
    await expect(session.send('die').result()).rejects.toMatchObject({ code: 'turn-interrupted' });
    await session.send('on').result();
    expect(there.starts[1]?.files.some(({ text }) => text.includes('"die"'))).toBe(true);
  });
});
