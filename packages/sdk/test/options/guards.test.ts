import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { createClient, createPool, deny, openSession, query } from '../../src/index.ts';
import { fakeClis } from '../pool/fake-pool.ts';
import type { FakeCli } from '../support/fake-cli.ts';
import { checkQuery } from './host.ts';

function problemsOf(options: unknown): string[] {
  return checkQuery('hi', options).problems.map(({ path, message }) => `${path}: ${message}`);
}

const guard = () => deny('no');

class Options {
  model = 'sonnet';
  get hooks() {
    return { PreToolUse: guard };
  }
}

class Hook {
  run = guard;
  get onFailure() {
    return 'block';
  }
}

describe('options whose guards a copy would lose', () => {
  it.each([
    ['options under symbols', { [Symbol('hooks')]: { PreToolUse: guard } }, 'options'],
    ['settings under symbols', { settings: { [Symbol('permissions')]: { deny: ['Bash'] } } }, 'settings'],
    ['rules under symbols', { settings: { permissions: { [Symbol('deny')]: ['Bash'] } } }, 'settings.permissions'],
    ['inherited options', Object.create({ disallowedTools: ['Bash'] }), 'options'],
    ['getters of a class', new Options(), 'options'],
    ['hidden options', Object.defineProperty({}, 'disallowedTools', { value: ['Bash'] }), 'options'],
    ['a map', new Map([['disallowedTools', ['Bash']]]), 'options'],
    ['inherited hooks', { hooks: Object.create({ PreToolUse: guard }) }, 'hooks'],
    ['a hook of a class', { hooks: { PreToolUse: new Hook() } }, 'hooks.PreToolUse'],
    ['inherited limits', { limits: Object.create({ permissionTimeoutMs: 5 }) }, 'limits'],
    ['inherited settings', { settings: Object.create({ permissions: { deny: ['Bash'] } }) }, 'settings'],
    ['settings with a map', { settings: { permissions: new Map([['deny', ['Bash']]]) } }, 'settings.permissions'],
    ['an inherited server', { mcpServers: { a: Object.create({ command: 'x' }) } }, 'mcpServers.a'],
  ])('[O-9] are refused: %s', (_, options, path) => {
    expect(problemsOf(options)).toContainEqual(expect.stringContaining(`${path}: must be a plain object`));
  });

  it('[O-9] are accepted if nothing is lost: no prototype, another realm, process.env, fields of a class', () => {
    class Own {
      disallowedTools = ['Bash'];
    }
    expect(problemsOf(Object.assign(Object.create(null), { disallowedTools: ['Bash'] }))).toEqual([]);
    expect(problemsOf(runInNewContext('({ disallowedTools: ["Bash"], hooks: {} })'))).toEqual([]);
    expect(problemsOf({ env: process.env })).toEqual([]);
    expect(problemsOf(new Own())).toEqual([]);
  });

  it('[O-9] are refused by queries, sessions, clients, pools and jobs', async () => {
    const options = Object.create({ disallowedTools: ['Bash'] });
    const refused = { code: 'options', message: expect.stringContaining('plain object') };
    await expect(query('hi', options).result()).rejects.toMatchObject(refused);
    await expect(openSession(options).ready).rejects.toMatchObject(refused);
    await expect(createClient(options).query('hi').result()).rejects.toMatchObject(refused);
    await expect(createClient({}).with(options).openSession().ready).rejects.toMatchObject(refused);
    await expect(createPool({ size: 1, defaults: options }).ready).rejects.toMatchObject(refused);
    expect(() => createPool(Object.create({ size: 1, defaults: {} }))).toThrow('plain object');
    await using pool = createPool({ size: 1, session: () => options });
    expect(await pool.run({ prompt: 'hi' })).toMatchObject({ status: 'failed', error: refused });
    expect(await pool.run({ prompt: 'hi', options })).toMatchObject({ status: 'failed', error: refused });
    expect(await pool.run(Object.create({ prompt: 'hi' }))).toMatchObject({ status: 'failed', error: refused });
  });
});

describe('options that the caller changes after the call', () => {
  function guarded() {
    const hook = { matcher: 'Bash', run: vi.fn(guard) };
    const options = { disallowedTools: ['Bash(rm *)'], hooks: { PreToolUse: [hook] }, settings: { a: { b: ['c'] } } };
    const clear = (): void => {
      options.disallowedTools.length = 0;
      options.hooks.PreToolUse.length = 0;
      options.settings.a.b.length = 0;
      hook.matcher = 'Nothing';
    };
    return { options, clear };
  }

  function isGuarded(cli: FakeCli | undefined): void {
    const argv = cli?.request?.argv ?? [];
    expect(argv[argv.indexOf('--disallowedTools') + 1]).toBe('Bash(rm *)');
    const [started] = cli?.log.filter((entry) => typeof entry === 'object') ?? [];
    expect(started).toMatchObject({ request: { hooks: { PreToolUse: [{ matcher: 'Bash' }] } } });
  }

  it('[O-9] keep the guard and the rules of a client, including its defaults and derived clients', async () => {
    const { options, clear } = guarded();
    const { clis, transport } = fakeClis();
    const client = createClient({ ...options, transport });
    const derived = client.with({});
    clear();
    expect(Object.isFrozen(client.defaults.disallowedTools)).toBe(true);
    await using session = client.openSession();
    await using other = derived.openSession();
    await Promise.all([session.ready, other.ready]);
    clis.forEach(isGuarded);
    expect(clis).toHaveLength(2);
  });

  it('[O-9] keep the guard and the rules of a pool', async () => {
    const { options, clear } = guarded();
    const { clis, transport } = fakeClis();
    await using pool = createPool({ size: 1, defaults: { ...options, transport } });
    clear();
    await pool.submit({ prompt: 'x' }).result();
    isGuarded(clis[0]);
  });

  it('[O-9] keep the guard and the rules of a session when it is forked', async () => {
    const { options, clear } = guarded();
    const { clis, transport } = fakeClis();
    await using session = openSession({ ...options, transport, sessionId: '00000000-0000-4000-8000-000000000001' });
    await session.send('x').result();
    clear();
    await using _fork = await session.fork();
    clis.forEach(isGuarded);
    expect(clis).toHaveLength(2);
  });
});
