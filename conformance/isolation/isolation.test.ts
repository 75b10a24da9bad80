import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { delay, text, toolUse } from '@coxswain/testkit';
import { openSession, query } from 'coxswain';
import { memoryStore } from 'coxswain/store';
import { beforeEach, describe, expect, it } from 'vitest';
import { bubblewrap } from '../../scripts/fetch/bubblewrap.mjs';
import { noneLeft } from '../harness/none-left.ts';
import { realCli, testedVersions } from '../harness/real-cli.ts';
import { openScene, type Scene } from '../harness/scene.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { startEgressProxy } from './egress-proxy.ts';

const isolate = { program: '' };

// Without bubblewrap, each test fails by its name.
beforeEach(() => {
  isolate.program = bubblewrap();
});

/** Runs commands in an isolated query, and returns what the model reads of each. */
async function outputsOf(scene: Scene, commands: readonly string[], options: object = {}): Promise<string[]> {
  const { home } = scene;
  const stream = query('go', {
    ...{ cli: realCli(), cwd: home.project, inheritEnv: false, env: home.env(), isolate },
    ...{ allowedTools: ['Bash'], ...options },
  });
  const { terminalError } = await stream.collect();
  expect(terminalError).toBeUndefined();
  const results = scene.api.conversation.flatMap(({ toolResults }) => toolResults.map((result) => result.text));
  expect(results).toHaveLength(commands.length);
  return results;
}

const run = (commands: readonly string[]) => [...commands.map((command) => toolUse('Bash', { command })), text('done')];

describe('an isolated CLI', () => {
  it('[C-14] can write to its working directory, but neither to the system nor to other folders', async () => {
    const neighbour = await mkdtemp(join(tmpdir(), 'cox-neighbour-'));
    await writeFile(join(neighbour, 'secret'), 'of another tenant');
    const commands = [
      'echo mine > here && cat here',
      `cat ${neighbour}/secret || echo none`,
      `echo theirs > ${neighbour}/new || echo none`,
      `cat ${import.meta.filename} || echo none`,
      'cat /etc/shadow || echo none',
      'touch /usr/bin/new || echo none',
      'touch /new || echo none',
    ];
    await using scene = await openScene(run(commands));
    const outputs = await outputsOf(scene, commands);
    expect(outputs[0]).toBe('mine');
    for (const output of outputs.slice(1)) expect(output).toMatch(/(No such file|Read-only file system)[\s\S]*none/);
    expect(await readFile(join(scene.home.project, 'here'), 'utf8')).toBe('mine\n');
    expect(await readdir(neighbour)).toEqual(['secret']);
    await rm(neighbour, { recursive: true });
  });

  it('[C-14] can neither list nor signal other processes', async () => {
    const commands = [
      `kill -0 ${process.pid} || echo none`,
      'ls /proc | grep -c "^[0-9]"',
      `cat /proc/${process.pid}/environ || echo none`,
      `tr '\\0' '\\n' < /proc/1/environ | grep HOST_SECRET || echo none`,
    ];
    process.env.HOST_SECRET = 'of the host';
    await using scene = await openScene(run(commands));
    const outputs = await outputsOf(scene, commands);
    delete process.env.HOST_SECRET;
    expect(outputs[0]).toMatch(/No such process[\s\S]*none/);
    expect(Number(outputs[1])).toBeLessThan(10);
    expect(outputs[2]).toMatch(/No such file[\s\S]*none/);
    expect(outputs[3]).toBe('none');
  });

  it('[C-14] can read and write the folders in the options', async () => {
    const root = await mkdtemp(join(tmpdir(), 'cox-named-'));
    for (const name of ['read', 'write', 'added']) await mkdir(join(root, name));
    await writeFile(join(root, 'read', 'data'), 'to read');
    const commands = [
      `cat ${root}/read/data`,
      `touch ${root}/read/new || echo none`,
      `touch ${root}/write/new && echo written`,
      `touch ${root}/added/new && echo written`,
    ];
    await using scene = await openScene(run(commands));
    const outputs = await outputsOf(scene, commands, {
      isolate: { ...isolate, readable: [join(root, 'read')], writable: [join(root, 'write')] },
      addDirs: [join(root, 'added')],
    });
    expect(outputs[0]).toBe('to read');
    expect(outputs[1]).toMatch(/Read-only file system[\s\S]*none/);
    expect(outputs.slice(2)).toEqual(['written', 'written']);
    await rm(root, { recursive: true });
  });

  it('[C-14] has no rights of root over the mounts and the kernel, when root starts it', async () => {
    const commands = [
      'mount -o remount,bind,rw /usr && touch /usr/new && rm /usr/new || echo none',
      // The value that it has.
      'pattern=$(cat /proc/sys/kernel/core_pattern); echo "$pattern" > /proc/sys/kernel/core_pattern || echo none',
      'grep CapPrm /proc/self/status',
    ];
    await using scene = await openScene(run(commands));
    const outputs = await outputsOf(scene, commands);
    expect(outputs[0]).toContain('none');
    expect(outputs[1]).toContain('none');
    expect(outputs[2]).toMatch(/^CapPrm:\s+0+$/);
  });

  it('[C-14] cannot bring other folders into its next start by links in its own', async () => {
    const neighbour = await mkdtemp(join(tmpdir(), 'cox-neighbour-'));
    await writeFile(join(neighbour, 'secret'), 'of another tenant');
    const planting = [
      `ln -s ${neighbour} $CLAUDE_CONFIG_DIR/skills && ln -s ../../../../../..${neighbour} lib && echo planted`,
    ];
    const reading = [`cat ${neighbour}/secret || echo none`];
    await using scene = await openScene([...run(planting), ...run(reading)]);
    expect(await outputsOf(scene, planting)).toEqual(['planted']);
    expect((await outputsOf(scene, [...planting, ...reading])).at(-1)).toMatch(/No such file[\s\S]*none/);
    const { home } = scene;
    for (const through of [
      { addDirs: ['lib'] },
      { plugins: ['lib'] },
      { isolate: { ...isolate, readable: [join(home.project, 'lib')] } },
    ]) {
      const options = { cli: realCli(), cwd: home.project, inheritEnv: false, env: home.env(), isolate, ...through };
      const { terminalError } = await query('go', options).collect();
      expect(terminalError).toMatchObject({
        code: 'spawn',
        message: expect.stringMatching(/lib is a link in a folder/),
      });
    }
    await rm(neighbour, { recursive: true });
  });

  it('[C-14, G-5] cannot read the login of another configuration directory through a link in its own', async () => {
    const neighbour = await mkdtemp(join(tmpdir(), 'cox-neighbour-'));
    await writeFile(join(neighbour, '.credentials.json'), '{"claudeAiOauth":{"accessToken":"of another tenant"}}');
    const planting = [
      `for name in .credentials.json notes; do ln -s ${neighbour}/.credentials.json $CLAUDE_CONFIG_DIR/$name; done; echo planted`,
    ];
    const reading = ['cat $CLAUDE_CONFIG_DIR/.credentials.json $CLAUDE_CONFIG_DIR/notes || echo none'];
    await using scene = await openScene([...run(planting), ...run(reading)]);
    expect(await outputsOf(scene, planting)).toEqual(['planted']);
    const stored = { sessionStore: memoryStore(), storeOnly: true };
    expect((await outputsOf(scene, [...planting, ...reading], stored)).at(-1)).toMatch(/No such file[\s\S]*none/);
    await rm(neighbour, { recursive: true });
  });

  it('[C-14] sees a wrapper script of the CLI, and nothing beside it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cox-wrapper-'));
    await writeFile(join(folder, 'secret'), 'of the host');
    await writeFile(join(folder, 'claude'), `#!/bin/sh\nexec ${realCli()} "$@"\n`);
    await chmod(join(folder, 'claude'), 0o755);
    const commands = [`cat ${folder}/secret || echo none`];
    await using scene = await openScene(run(commands));
    const outputs = await outputsOf(scene, commands, {
      cli: join(folder, 'claude'),
      isolate: { ...isolate, readable: [realCli()] },
    });
    expect(outputs[0]).toMatch(/No such file[\s\S]*none/);
    await rm(folder, { recursive: true });
  });

  it('[C-14] runs in isolation what its tools have written into settings', async () => {
    const neighbour = await mkdtemp(join(tmpdir(), 'cox-neighbour-'));
    await chmod(neighbour, 0o777);
    await writeFile(join(neighbour, 'secret'), 'of another tenant');
    const command = `echo ran > ran; cat ${neighbour}/secret > stolen; touch ${neighbour}/new`;
    const settings = JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ type: 'command', command }] }] } });
    const planting = [`echo '${settings}' > $CLAUDE_CONFIG_DIR/settings.json && echo planted`];
    const looking = ['cat ran stolen'];
    await using scene = await openScene([...run(planting), ...run(looking)]);
    expect(await outputsOf(scene, planting)).toEqual(['planted']);
    expect((await outputsOf(scene, [...planting, ...looking])).at(-1)).toBe('ran');
    expect(await readdir(neighbour)).toEqual(['secret']);
    await rm(neighbour, { recursive: true });
  });

  it('[C-14] is asked for its version in isolation, too', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cox-wrapper-'));
    const seen = join(folder, 'seen');
    await writeFile(seen, '');
    // Version managers read files of the working directory.
    const wrapper = `#!/bin/sh\n[ -e ${seen} ] && echo "$@" >> ${seen}\nexec ${realCli()} "$@"\n`;
    await writeFile(join(folder, 'claude'), wrapper, { mode: 0o755 });
    await using scene = await openScene([text('done')]);
    const { home } = scene;
    const stream = query('go', {
      ...{ cli: join(folder, 'claude'), cwd: home.project, inheritEnv: false, env: home.env() },
      isolate: { ...isolate, readable: [realCli()] },
    });
    expect(await stream.text()).toBe('done');
    expect(await readFile(seen, 'utf8')).toBe('');
    await rm(folder, { recursive: true });
  });

  it('[C-14] has a temporary folder, although that of the host is elsewhere', async () => {
    const commands = ['mktemp', 'echo $TMPDIR'];
    await using scene = await openScene(run(commands));
    const env = scene.home.env({ TMPDIR: '/var/tmp/of-the-host' });
    const outputs = await outputsOf(scene, commands, { env });
    expect(outputs[0]).toMatch(/^\/tmp\//);
    expect(outputs[1]).toBe('/tmp');
  });

  it('[C-15] is not started if its proxy is missing, or no socket', async () => {
    await using scene = await openScene([text('never')]);
    const { home } = scene;
    for (const proxy of [join(home.root, 'missing'), home.project]) {
      const network = { proxy };
      const options = { cli: realCli(), cwd: home.project, inheritEnv: false, env: home.env() };
      const { terminalError } = await query('go', { ...options, isolate: { ...isolate, network } }).collect();
      expect(terminalError).toMatchObject({ code: 'spawn', message: expect.stringMatching(/it is not a socket/) });
    }
    expect(scene.api.requests).toEqual([]);
  });

  it('[C-14] is not started if its settings are a link to a file that it cannot see', async () => {
    const policies = await mkdtemp(join(tmpdir(), 'cox-policies-'));
    const policy = join(policies, 'settings.json');
    await writeFile(policy, '{"permissions":{"deny":["Bash(touch *)"]}}');
    const commands = ['touch new'];
    await using scene = await openScene(run(commands));
    const { home } = scene;
    await symlink(policy, join(home.configDir, 'settings.json'));
    const options = { cli: realCli(), cwd: home.project, inheritEnv: false, env: home.env(), isolate };
    const { terminalError } = await query('go', options).collect();
    expect(terminalError).toMatchObject({
      code: 'spawn',
      message: expect.stringMatching(/is not in isolate\.readable/),
    });
    const outputs = await outputsOf(scene, commands, { isolate: { ...isolate, readable: [policies] } });
    expect(outputs[0]).toMatch(/denied/i);
    expect(existsSync(join(home.project, 'new'))).toBe(false);
    await rm(policies, { recursive: true });
  });

  it('[C-14] is not started without a working bubblewrap', async () => {
    await using scene = await openScene([text('never')]);
    const { home } = scene;
    for (const program of ['/nowhere/bwrap', '/bin/false']) {
      const options = { cli: realCli(), cwd: home.project, inheritEnv: false, env: home.env(), isolate: { program } };
      const { terminalError } = await query('go', options).collect();
      expect(terminalError).toMatchObject({ code: 'isolation-unavailable' });
      await using session = openSession(options);
      await expect(session.send('go').result()).rejects.toMatchObject({ code: 'isolation-unavailable' });
    }
    expect(scene.api.requests).toEqual([]);
  });
});

describe.each(testedVersions)('an isolated session of %s', (version) => {
  it.each([false, true])(
    '[C-14, C-15, A-5] can be interrupted, continues, and ends together with its tools; behind a proxy: %j',
    async (isBehindProxy) => {
      const script = [
        toolUse('Bash', { command: 'tail -f /dev/null & echo started > started; tail -f /dev/null' }),
        text('interrupted, and still here'),
        [delay(60_000), text('never')],
      ];
      await using scene = await openScene(script, { version });
      const { home, api } = scene;
      const proxy = join(home.root, 'proxy.sock');
      await using _proxy = await startEgressProxy(proxy, 'api.test', new URL(api.url));
      const session = openSession({
        ...{ cli: realCli(version), cwd: home.project, inheritEnv: false, allowedTools: ['Bash'] },
        ...(isBehindProxy
          ? { env: home.env({ ANTHROPIC_BASE_URL: 'http://api.test' }), isolate: { ...isolate, network: { proxy } } }
          : { env: home.env(), isolate }),
      });
      const turn = session.send('wait');
      await waitUntil(() => existsSync(join(home.project, 'started')), { what: 'the tool' });
      await turn.interrupt();
      await expect(turn.text()).rejects.toMatchObject({ code: 'result', outcome: 'interrupted' });
      expect(await session.send('and now?').text()).toBe('interrupted, and still here');
      await session.close();
      await noneLeft(scene, 2_000);
    },
  );

  it('[C-14, V-1] continues a conversation that exists only in its store', async () => {
    await using scene = await openScene([text('first'), text('second')], { version });
    const { home } = scene;
    const { CLAUDE_CONFIG_DIR: _, ...env } = home.env();
    const options = {
      ...{ cli: realCli(version), cwd: home.project, inheritEnv: false, env, isolate },
      ...{ sessionStore: memoryStore(), storeOnly: true },
    };
    await using session = openSession(options);
    const turn = session.send('one');
    expect(await turn.text()).toBe('first');
    const { session_id: sessionId } = await turn.result();
    await session.close();
    await using resumed = openSession({ ...options, resume: sessionId });
    expect(await resumed.send('two').text()).toBe('second');
    expect(JSON.stringify(scene.api.conversation.at(-1))).toContain('first');
  });
});
