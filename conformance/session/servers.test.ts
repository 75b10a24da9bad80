import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text, toolUse } from '@coxswain/testkit';
import { deny, type Warning } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { IsolatedHome } from '../harness/isolated-home.ts';
import { mcpServer } from '../harness/mcp-server.ts';
import { supportedVersions, testedVersions } from '../harness/real-cli.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { openStage } from './stage.ts';

const MISSING = { command: '/nonexistent/server' };
const BROKEN = { command: '/bin/sh', args: ['-c', 'exit 3'] };
const [PROGRAM] = mcpServer.args;
/** Longer than the two seconds that 2.1.197 waits for servers. */
const SLOW = { command: '/bin/sh', args: ['-c', `sleep 3; exec "${mcpServer.command}" "${PROGRAM}"`] };

function put(home: IsolatedHome, path: string, content: unknown): void {
  const file = join(home.root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

describe.concurrent.each(testedVersions)('MCP servers in %s', (version) => {
  it('[T-6] servers that cannot be started cause warnings with their names and reasons, and the turn runs', async () => {
    await using stage = await openStage([text('hello')], { version });
    const warnings: Warning[] = [];
    const onWarning = (warning: Warning): void => void warnings.push(warning);
    const session = await stage.start({ mcpServers: { missing: MISSING, broken: BROKEN, fine: mcpServer }, onWarning });
    expect(await session.send('hi').text()).toBe('hello');
    expect(warnings.map(({ code, context }) => [code, context.server, context.reason])).toEqual([
      ['mcp-server-unavailable', 'missing', expect.stringMatching(/ENOENT/)],
      ['mcp-server-unavailable', 'broken', expect.stringMatching(/Connection closed/)],
    ]);
  });

  it('[T-6] a missing server that allowedTools names fails queries and sessions, and no prompt is sent', async () => {
    await using stage = await openStage([text('unheard')], { version });
    const options = { mcpServers: { missing: MISSING }, allowedTools: ['mcp__missing__read'] };
    const error = {
      code: 'mcp-server-unavailable',
      servers: [{ name: 'missing', requiredBy: 'allowedTools', reason: expect.stringMatching(/ENOENT/) }],
    };
    await expect(stage.query('hi', options).text()).rejects.toMatchObject(error);
    await expect(stage.start(options)).rejects.toMatchObject(error);
    expect(stage.api.conversation).toEqual([]);
  });

  it('[T-6] the first turn has the tools of a slow server', async () => {
    await using stage = await openStage([toolUse('mcp__slow__token', {}), text('done')], { version });
    const session = await stage.start({
      mcpServers: { slow: { ...SLOW, env: { TOKEN: 'of-the-slow-server' } } },
      allowedTools: ['mcp__slow'],
    });
    expect(await session.send('hi').text()).toBe('done');
    expect(JSON.stringify(stage.api.conversation.at(-1)?.body.messages)).toContain('token=of-the-slow-server');
  });

  it('[T-6] the CLI does not receive fields of the SDK', async () => {
    await using stage = await openStage([text('hello')], { version });
    const session = await stage.start({ mcpServers: { fine: { ...mcpServer, required: true } } });
    const [server] = await session.mcpStatus();
    expect(server).toMatchObject({ name: 'fine', status: 'connected' });
    expect(JSON.stringify(server)).not.toContain('required');
  });

  it('[T-5] a project server that the rule for an allowed host server also allows ends the session; its tool does not run', async () => {
    await using stage = await openStage([toolUse('mcp__x_y__token', {}), text('done')], { version });
    put(stage.home, 'project/.mcp.json', { mcpServers: { x_y: mcpServer } });
    put(stage.home, 'project/.claude/settings.json', { enableAllProjectMcpServers: true });
    const own = toolServer({ name: 'own', tools: [tool('say', 'Says', z.object({}), () => 'said')] });
    const session = await stage.start({ mcpServers: { 'x.y': own }, canUseTool: () => deny('no') });
    await expect(session.send('hi').text()).rejects.toMatchObject({ code: 'mcp-server-collision', server: 'x_y' });
    expect(JSON.stringify(stage.api.requests.map(({ body }) => body.messages))).not.toContain('token=');
  });

  it('[T-5] such a project server ends the session even while it is starting', async () => {
    await using stage = await openStage([text('unheard')], { version });
    put(stage.home, 'project/.mcp.json', { mcpServers: { ops__x: SLOW } });
    put(stage.home, 'project/.claude/settings.json', { enableAllProjectMcpServers: true });
    const own = toolServer({ name: 'own', tools: [tool('say', 'Says', z.object({}), () => 'said')] });
    const session = await stage.start({ mcpServers: { ops: own }, canUseTool: () => deny('no') });
    await expect(session.send('hi').text()).rejects.toMatchObject({ code: 'mcp-server-collision', server: 'ops__x' });
    expect(stage.api.conversation).toEqual([]);
  });

  it('[T-5] no tool of a user server with the name of an in-process server runs', async () => {
    await using stage = await openStage([toolUse('mcp__ops__token', {}), text('done')], { version });
    put(stage.home, 'config/.claude.json', { mcpServers: { ops: { type: 'stdio', ...mcpServer } } });
    const own = toolServer({ name: 'own', tools: [tool('say', 'Says', z.object({}), () => 'said')] });
    const session = await stage.start({ mcpServers: { ops: own }, canUseTool: () => deny('no') });
    const { terminalError } = await session.send('hi').collect();
    // 2.1.197 omits the tools of the other server.
    const expected = version === '2.1.197' ? undefined : expect.objectContaining({ code: 'mcp-server-collision' });
    expect(terminalError).toEqual(expected);
    expect(JSON.stringify(stage.api.requests.map(({ body }) => body.messages))).not.toContain('token=');
  });
});

describe.concurrent.each(testedVersions)('what %s has loaded', (version) => {
  const hook = { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'true' }] }] } };
  const furnish = (home: IsolatedHome): void => {
    put(home, 'config/settings.json', { ...hook, env: { A: 'b' } });
    put(home, 'config/CLAUDE.md', 'Be brief.');
    put(home, 'config/agents/scout.md', '---\nname: scout\ndescription: looks around\n---\nLook.');
    put(home, 'project/CLAUDE.md', 'This is a project. @more.md');
    put(home, 'project/more.md', 'More.');
    put(home, 'project/.claude/skills/deploy/SKILL.md', '---\nname: deploy\ndescription: deploys\n---\nDo it.');
    put(home, 'project/.claude/settings.local.json', { enableAllProjectMcpServers: true });
    put(home, 'project/.mcp.json', { mcpServers: { shared: mcpServer } });
  };

  it('[X-7] is listed by session.loaded(), and one warning reports that the options do not request it', async () => {
    await using stage = await openStage([text('hello')], { version });
    furnish(stage.home);
    const warnings: Warning[] = [];
    const onWarning = (warning: Warning): void => void warnings.push(warning);
    const session = await stage.start({ onWarning, mcpServers: { mine: mcpServer } });
    const { project, configDir } = stage.home;
    expect(await session.loaded()).toMatchObject({
      settings: expect.arrayContaining([
        { from: 'user', fields: expect.arrayContaining(['hooks', 'env']) },
        { from: 'local', fields: ['enableAllProjectMcpServers'] },
      ]),
      hooks: [{ from: 'user', event: 'PreToolUse', matcher: 'Bash' }],
      mcpServers: expect.arrayContaining([
        expect.objectContaining({ from: 'project', name: 'shared' }),
        expect.objectContaining({ from: 'options', name: 'mine' }),
      ]),
      memory: [
        { from: 'user', path: join(configDir, 'CLAUDE.md') },
        { from: 'project', path: join(project, 'CLAUDE.md') },
        { from: 'project', path: join(project, 'more.md') },
      ],
      skills: [{ from: 'project', name: 'deploy' }],
      agents: [{ from: 'user', name: 'scout' }],
      unanswered: [],
    });
    await waitUntil(() => warnings.length > 0, { what: 'the warning' });
    expect(warnings).toMatchObject([
      {
        code: 'unrequested-configuration',
        context: { settings: ['user', 'local'], hooks: ['user'], mcpServers: ['project'] },
      },
    ]);
  });

  it('[X-7] is empty with settingSources: [], without a warning', async () => {
    await using stage = await openStage([text('hello')], { version });
    furnish(stage.home);
    const warnings: Warning[] = [];
    const session = await stage.start({ settingSources: [], onWarning: (warning) => void warnings.push(warning) });
    expect(await session.loaded()).toEqual({
      settings: [],
      hooks: [],
      mcpServers: [],
      memory: [],
      plugins: [],
      skills: [],
      agents: [],
      unanswered: [],
    });
    await session.send('hi').text();
    expect(warnings).toEqual([]);
  });
});

describe.concurrent.each(supportedVersions)('a sandbox that cannot be used in %s', (version) => {
  // No bwrap is on this PATH, even if the machine has one.
  const env = { PATH: '/nonexistent' };
  const script = [toolUse('Bash', { command: 'touch ran' }), text('done')];
  const options = { env, allowedTools: ['Bash'] };

  it.each([
    ['sandbox', { sandbox: { enabled: true } }],
    ['settings', { settings: { sandbox: { enabled: true } } }],
  ])('[C-13] is an error before anything starts: %s', async (_, asked) => {
    await using stage = await openStage(script, { version });
    const error = { code: 'sandbox-unavailable', reason: expect.stringMatching(/bwrap/) };
    await expect(stage.query('hi', { ...options, ...asked }).text()).rejects.toMatchObject(error);
    await expect(stage.start({ ...options, ...asked })).rejects.toMatchObject(error);
    expect(stage.api.conversation).toEqual([]);
  });

  it('[C-13] is a warning with failIfUnavailable: false', async () => {
    await using stage = await openStage([text('hello')], { version });
    const stream = stage.query('hi', { ...options, sandbox: { enabled: true, failIfUnavailable: false } });
    expect(await stream.text()).toBe('hello');
    expect(stream.warnings).toMatchObject([{ code: 'sandbox-unavailable' }]);
  });
});
