import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { OptionsError } from '../../src/errors/index.ts';
import { type Client, type ClientDefaults, createClient, createPool, query } from '../../src/index.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';
import type { Session } from '../../src/session/session.ts';
import { FakeCli } from '../support/fake-cli.ts';

/** In-memory CLIs, one per run. */
class Clis {
  readonly made: FakeCli[] = [];
  readonly transport = (): FakeCli => {
    const cli = new FakeCli();
    this.made.push(cli);
    onTestFinished(() => cli.die());
    return cli;
  };

  /** Waits until `count` CLIs have completed the handshake. */
  async started(count: number): Promise<void> {
    await vi.waitUntil(() => this.made[count - 1]?.story.includes('initialize'), { timeout: 15_000, interval: 5 });
  }

  /** The newest CLI. */
  get last(): FakeCli {
    const cli = this.made.at(-1);
    if (cli === undefined) throw new Error('Nothing was started.');
    return cli;
  }

  /** The value of a flag on the newest command line. */
  flag(name: string): string | undefined {
    const argv = this.last.request?.argv ?? [];
    const at = argv.indexOf(name);
    return at === -1 ? undefined : argv[at + 1];
  }
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('a client', () => {
  it('[O-5] gives precedence to the options of the turn, then the session, the client and the environment', async () => {
    vi.stubEnv('COXSWAIN_MODEL', 'of-environment');
    vi.stubEnv('COXSWAIN_IDLE_TIMEOUT_MS', '70000');
    vi.stubEnv('COXSWAIN_MAX_BUDGET_USD', '3');
    const clis = new Clis();
    await open(clis, createClient({ transport: clis.transport }));
    expect(clis.flag('--model')).toBe('of-environment');
    expect(clis.flag('--max-budget-usd')).toBe('3');

    const client = createClient({ transport: clis.transport, model: 'of-client', maxTurns: 3, effort: 'low' });
    await open(clis, client);
    expect(clis.flag('--model')).toBe('of-client');
    const session = await open(clis, client, { model: 'of-session', maxTurns: undefined, effort: 'high' });
    expect(clis.flag('--model')).toBe('of-session');
    expect(clis.flag('--max-turns')).toBe('3');
    expect(clis.flag('--effort')).toBe('high');

    const turn = session.send('hello', { model: 'of-turn' });
    clis.last.reply(await clis.last.got('prompt hello'));
    await turn.result();
    await clis.last.got('set_model', 2);
    const models = clis.last.log.flatMap((entry) =>
      typeof entry === 'object' && entry.request?.subtype === 'set_model' ? [entry.request.model] : [],
    );
    expect(models).toEqual(['of-turn', 'of-session']);
  });

  it('[O-5] applies the same precedence to the options of queries', async () => {
    vi.stubEnv('COXSWAIN_MODEL', 'of-environment');
    const clis = new Clis();
    const client = createClient({
      transport: clis.transport,
      model: 'of-client',
      env: { TEAM: 'blue', STAGE: 'test' },
    });
    const stream = client.query('hello', { env: { STAGE: 'live', TEAM: undefined } });
    await stream.started;
    expect(clis.flag('--model')).toBe('of-client');
    expect(clis.last.request?.env).toMatchObject({ STAGE: 'live' });
    expect(clis.last.request?.env).not.toHaveProperty('TEAM');
    clis.last.die();
    await stream.closed;
  });

  it('[O-5] merges options with independent entries by key and replaces lists', async () => {
    const clis = new Clis();
    const client = createClient({
      transport: clis.transport,
      allowedTools: ['Read', 'Grep'],
      hooks: { PreToolUse: () => {}, Stop: [() => {}, () => {}] },
      mcpServers: { one: { command: 'a' }, two: { command: 'b' } },
      agents: { helper: { description: 'd', prompt: 'p' } },
      extraArgs: { 'brand-new': 'x' },
    });
    await open(clis, client, {
      allowedTools: ['Glob'],
      hooks: { UserPromptSubmit: () => {}, Stop: () => {} },
      mcpServers: { two: { command: 'c' } },
      agents: { other: { description: 'd', prompt: 'p' } },
      extraArgs: { newer: null },
    });
    const { request } = await clis.last.got('initialize');
    expect(request?.hooks).toMatchObject({
      PreToolUse: [{ hookCallbackIds: [expect.any(String)] }],
      UserPromptSubmit: [{}],
      Stop: [{}],
    });
    expect(Object.keys(Object(request?.agents))).toEqual(['helper', 'other']);
    expect(clis.flag('--allowedTools')).toBe('Glob');
    const [servers] = clis.last.request?.privateFiles ?? [];
    expect(JSON.parse(servers?.content ?? '')).toMatchObject({
      mcpServers: { one: { command: 'a' }, two: { command: 'c' } },
    });
    expect(clis.flag('--brand-new')).toBe('x');
    expect(clis.last.request?.argv).toContain('--newer');
  });

  it('[O-5, E-3] warns if a call replaces the guards of the client, but not if the call keeps them', async () => {
    const guard = vi.fn();
    const clis = new Clis();
    const warned: unknown[] = [];
    const client = createClient({
      transport: clis.transport,
      hooks: { PreToolUse: guard },
      onWarning: ({ code, context }) => void warned.push([code, context.option]),
    });
    await open(clis, client, { hooks: { PreToolUse: () => {} } });
    expect(warned).toEqual([['guard-replaced', 'hooks.PreToolUse']]);

    const own = vi.fn();
    await open(clis, client, { hooks: { PreToolUse: [client.defaults.hooks?.PreToolUse ?? [], own].flat() } });
    expect(warned).toHaveLength(1);
    clis.last.askHook('h1', 'PreToolUse', 'hook_0');
    clis.last.askHook('h2', 'PreToolUse', 'hook_1');
    await clis.last.answered('h1');
    await clis.last.answered('h2');
    expect(guard).toHaveBeenCalledOnce();
    expect(own).toHaveBeenCalledOnce();
  });

  it('[O-5, O-6, E-3] warns once if a query replaces the guards of the client', async () => {
    const clis = new Clis();
    const client = createClient({ transport: clis.transport, hooks: { PreToolUse: () => {} }, model: 'm' });
    const options = { resume: 'x', continue: true, fallbackModel: 'm' };
    const stream = client.query('hello', { ...options, hooks: { PreToolUse: () => {} } });
    await stream.started;
    expect(stream.warnings.map(({ code }) => code).sort()).toEqual([
      'fallback-equals-model',
      'guard-replaced',
      'option-ignored',
    ]);
    clis.last.die();
    await stream.closed;
  });

  it('[O-5] derives a client from another client without changing it', async () => {
    const clis = new Clis();
    const base = createClient({ transport: clis.transport, model: 'base', env: { A: '1', B: '1' }, maxTurns: 5 });
    const derived = base.with({ model: 'derived', env: { B: '2' } }).with({ systemPrompt: 'x' });
    expect(derived.defaults).toMatchObject({
      model: 'derived',
      env: { A: '1', B: '2' },
      maxTurns: 5,
      systemPrompt: 'x',
    });
    expect(base.defaults).toMatchObject({ model: 'base', env: { A: '1', B: '1' } });
    expect(Object.isFrozen(base.defaults)).toBe(true);
    await open(clis, derived, { systemPromptFile: '/p' });
    expect(clis.flag('--model')).toBe('derived');
    expect(clis.last.request?.env).toMatchObject({ A: '1', B: '2' });
    // Two options for the same setting: the one from the stronger layer counts.
    expect(clis.flag('--system-prompt-file')).toBe('/p');
    const { request } = await clis.last.got('initialize');
    expect(request).not.toHaveProperty('systemPrompt');
  });

  it('[O-5, A-2] applies the defaults of the client to a restarting session, before and after a restart', async () => {
    const clis = new Clis();
    const client = createClient({ transport: clis.transport, model: 'of-client', effort: 'low', env: { A: '1' } });
    const session = client.openSession({ model: 'of-session', env: { B: '2' }, restart: { delayMs: 1 } });
    onTestFinished(async () => void (await session.close()));
    await session.ready;
    clis.last.die(1);
    await clis.started(2);
    for (const { request } of clis.made) {
      expect(request?.argv.join(' ')).toContain('--model of-session');
      expect(request?.argv.join(' ')).toContain('--effort low');
      expect(request?.env).toMatchObject({ A: '1', B: '2' });
    }
  });

  it('[O-5, A-4] applies the defaults of the client below those of a pool', async () => {
    const clis = new Clis();
    const client = createClient({ transport: clis.transport, model: 'of-client', effort: 'low', env: { A: '1' } });
    const pool = client.createPool({ size: 1, defaults: { model: 'of-pool', env: { B: '2' } } });
    onTestFinished(() => pool.close().then(() => {}));
    void pool.run({ prompt: 'hello' });
    await clis.started(1);
    await clis.last.got('initialize');
    expect(clis.flag('--model')).toBe('of-pool');
    expect(clis.flag('--effort')).toBe('low');
    expect(clis.last.request?.env).toMatchObject({ A: '1', B: '2' });
  });

  it.each<[string, object, string]>([
    ['an id', { sessionId: '11111111-1111-4111-8111-111111111111' }, 'sessionId'],
    ['a conversation', { resume: 'x' }, 'resume'],
    ['a signal', { signal: new AbortController().signal }, 'signal'],
    ['a transport', { transport: new FakeCli() }, 'transport'],
    ['a connected server', { mcpServers: { calc: { connect: async () => {} } } }, 'mcpServers.calc'],
    ['restart', { restart: true }, 'restart'],
  ])('[O-4, T-1] refuses a default that only one run can use: %s', (_what, defaults, path) => {
    const problems = problemsOf(() => createClient(defaults));
    expect(problems).toMatchObject([{ path }]);
    expect(problemsOf(() => createClient().with(defaults))).toEqual(problems);
  });

  it('[O-4, A-2] refuses restart outside of openSession, with an explanation', async () => {
    const problems = [{ path: 'restart', message: 'belongs to openSession: pass it in that call only.' }];
    // The types also refuse it; these are untyped calls.
    const options: object = { restart: true };
    expect(problemsOf(() => createClient(options))).toEqual(problems);
    await expect(query('hi', options).started).rejects.toMatchObject({ code: 'options', problems });
    await expect(createClient().query('hi', options).started).rejects.toMatchObject({ code: 'options', problems });
    expect(problemsOf(() => createPool({ size: 1, defaults: options }))).toEqual([
      { path: 'defaults.restart', message: problems[0]?.message },
    ]);
  });

  it('[O-4] accepts other invalid defaults; the calls then reject but never throw', async () => {
    for (const defaults of [{ modle: 'x' }, null, 'x']) {
      // An untyped caller may do this.
      const client = createClient(defaults as ClientDefaults);
      await expect(client.query('hi').started).rejects.toBeInstanceOf(OptionsError);
      await expect(client.openSession().ready).rejects.toBeInstanceOf(OptionsError);
      expect(typeof client.defaults).toBe('object');
    }
  });
});

async function open(clis: Clis, client: Client, options: AgentOptions = {}): Promise<Session> {
  const session = client.openSession(options);
  onTestFinished(async () => void (await session.close()));
  await session.ready;
  expect(clis.last.hasExited).toBe(false);
  return session;
}

function problemsOf(make: () => unknown): unknown {
  try {
    make();
  } catch (error) {
    if (error instanceof OptionsError) return error.problems;
  }
  return undefined;
}
