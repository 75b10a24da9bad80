import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { compareVersions } from '@coxswain/shared/version';
import { delay, type FakeApi, text, toolUse } from '@coxswain/testkit';
import { openSession } from 'coxswain';
import { inspectCli } from 'coxswain/cli';
import { describe, expect, it } from 'vitest';
import { mcpServer } from '../harness/mcp-server.ts';
import { realCli, testedVersions } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';

const SECRETS = {
  token: 'token-of-the-stdio-server',
  bearer: 'bearer-of-the-http-server',
  path: 'token-in-the-path-of-a-url',
  fragment: 'token-in-the-fragment-of-a-url',
  setting: 'value-in-the-settings',
  key: 'sk-ant-api03-the-key-itself',
};

// One after the other: the tests inspect the folders of this process.
describe.each(testedVersions)('secrets of %s', (version) => {
  it('[C-10] reach the CLI, and no other user can read them', async () => {
    const commands: string[] = [];
    const folders: string[] = [];
    const look = () => {
      commands.push(...scene.processes().map(({ command }) => command));
      folders.push(...foldersLeft());
    };
    const script = [
      () => {
        look();
        return toolUse('mcp__local__token', {});
      },
      // After the CLI's start, when the files have been removed.
      () => [delay(1_000), toolUse('Bash', { command: 'echo "setting is $COX_SETTING"' })],
      () => {
        look();
        return toolUse('Bash', { command: 'touch denied-by-settings' });
      },
      text('ok'),
    ];
    await using scene = await openScene(script, { version });
    const lines: string[] = [];
    // The settings of a release that is not known yet have a file until it has exited.
    await inspectCli({ cli: realCli(version) });
    const stream = scene.query('use them', {
      versionCheck: 'off', // A known release may take the servers from the handshake.
      apiKey: SECRETS.key,
      mcpServers: {
        local: { ...mcpServer, env: { TOKEN: SECRETS.token } },
        remote: { type: 'http', url: `${scene.api.url}/mcp`, headers: { Authorization: `Bearer ${SECRETS.bearer}` } },
        hidden: { type: 'http', url: `${scene.api.url}/s/${SECRETS.path}/mcp#${SECRETS.fragment}` },
      },
      settings: { env: { COX_SETTING: SECRETS.setting }, permissions: { deny: ['Bash(touch *)'] } },
      allowedTools: ['Bash', 'mcp__local__token'],
      extraArgs: { 'debug-to-stderr': null },
      onStderr: (line) => lines.push(line),
    });
    const { messages: items, terminalError } = await stream.collect();

    expect(terminalError).toBeUndefined();
    expect(items.find((message) => message.type === 'system' && message.subtype === 'init')?.mcp_servers).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'local', status: 'connected' }),
        expect.objectContaining({ name: 'remote' }),
      ]),
    );
    expect(resultsOf(scene.api)).toEqual([
      `token=${SECRETS.token}`,
      `setting is ${SECRETS.setting}`,
      expect.stringContaining('denied'),
    ]);
    expect(bearersOf(scene.api)).toContain(`Bearer ${SECRETS.bearer}`);
    expect(scene.api.requests.map(({ path }) => path)).toContain(`/s/${SECRETS.path}/mcp`);

    expect(commands.some((command) => command.includes('--mcp-config'))).toBe(true);
    for (const secret of Object.values(SECRETS)) {
      expect(commands.join('\n')).not.toContain(secret);
      expect(lines.join('\n')).not.toContain(secret);
    }
    // 2.1.197 drops its settings, with their rules, if it cannot read them again: it keeps the file until it has exited.
    if (version !== '2.1.197') expect(folders).toEqual([]);
    await stream.close();
    expect(foldersLeft()).toEqual([]);
  });

  it('[C-10] MCP servers without a password are also passed in the private file, which no tool can read', async () => {
    const argument = 'argument-of-the-stdio-server';
    let commandLine = '';
    const peek = 'for f in /dev/fd/3 /proc/$PPID/fd/3; do cat $f; done 2>/dev/null; echo nothing else';
    const script = [
      () => {
        commandLine = scene.processes().find(({ command }) => command.includes('--mcp-config'))?.command ?? '';
        return [toolUse('mcp__local__token', {}), toolUse('Bash', { command: peek })];
      },
      text('ok'),
    ];
    await using scene = await openScene(script, { version });
    const stream = scene.query('use it', {
      versionCheck: 'off',
      mcpServers: { local: { ...mcpServer, args: [...mcpServer.args, argument] } },
      allowedTools: ['Bash', 'mcp__local__token'],
    });
    const { terminalError } = await stream.collect();
    expect(terminalError).toBeUndefined();
    expect(resultsOf(scene.api)).toEqual(['token=undefined', 'nothing else']);
    expect(commandLine).toMatch(/--mcp-config \/dev\/fd\/\d+/);
    expect(commandLine).not.toContain(argument);
  });

  it('[C-10, T-1] of MCP servers reach a session in the handshake, or in a file if the release does not await it', async () => {
    let commandLine = '';
    const script = [
      () => {
        commandLine = scene.processes().find(({ command }) => command.includes('--input-format'))?.command ?? '';
        return toolUse('mcp__local__token', {});
      },
      text('ok'),
    ];
    await using scene = await openScene(script, { version });
    const { home } = scene;
    const cli = realCli(version);
    await inspectCli({ cli }); // The release is known before the start from now on.
    await using session = openSession({
      ...{ cli, cwd: home.project, inheritEnv: false, env: home.env() },
      mcpServers: { local: { ...mcpServer, env: { TOKEN: SECRETS.token } } },
      allowedTools: ['mcp__local__token'],
    });
    expect(await session.send('use it').text()).toBe('ok');
    expect(resultsOf(scene.api)).toEqual([`token=${SECRETS.token}`]);
    const awaits = compareVersions(version, '2.1.326') >= 0;
    const passing = ['--mcp-config', '--await-initialize'].filter((flag) => commandLine.includes(flag));
    expect(passing).toEqual([awaits ? '--await-initialize' : '--mcp-config']);
    expect(commandLine).not.toContain(SECRETS.token);
    expect(foldersLeft()).toEqual([]);
  });

  it('[C-10, Q-5] are removed from disk if the CLI cannot use them: the error has the reason from stderr and a hint', async () => {
    await using scene = await openScene([], { version });
    const lines: string[] = [];
    const stream = scene.query('hello', {
      settings: { env: { COX_SETTING: SECRETS.setting } },
      extraArgs: { 'no-such-flag': null },
      onStderr: (line) => lines.push(line),
    });
    const { terminalError } = await stream.collect();
    expect(terminalError).toMatchObject({
      code: 'process',
      exitCode: 1,
      signal: null,
      stdoutWasEmpty: true,
      stderrTail: expect.stringContaining("unknown option '--no-such-flag'"),
      hint: expect.stringContaining('does not support one of its flags'),
    });
    expect(lines.join()).toContain("unknown option '--no-such-flag'");
    expect(foldersLeft()).toEqual([]);
  });
});

function resultsOf(api: FakeApi): string[] {
  return api.conversation.flatMap((request) => request.toolResults.map((result) => result.text));
}

function bearersOf(api: FakeApi): (string | string[] | undefined)[] {
  return api.requests.filter(({ path }) => path === '/mcp').map(({ headers }) => headers.authorization);
}

/** The private folders of this process. */
function foldersLeft(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`coxswain-${process.pid}-`));
}
