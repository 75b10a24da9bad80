import { describe, expect, it } from 'vitest';
import type { AgentOptions } from '../../src/options/option-types.ts';
import { query } from '../../src/query/query.ts';
import { type Answer, FakeCli, open, settle, start, success } from '../support/fake-cli.ts';
import { INIT } from '../support/say.ts';

const DB = { command: 'db-server' };

/** Lists one server with the next status each time; the last status repeats. */
function statuses(...states: (string | { status: string; error: string })[]): Answer {
  return (cli, id) => {
    const state = states.length > 1 ? states.shift() : states[0];
    const fields = typeof state === 'string' ? { status: state } : state;
    cli.succeed(id, { mcpServers: [{ name: 'db', scope: 'dynamic', ...fields }] });
  };
}

const FAILED = { status: 'failed', error: 'ENOENT: no such file' };

describe('an MCP server that cannot be started', () => {
  it('[T-6] causes a warning with its name and the reason', async () => {
    const { warnings } = await start({ mcpServers: { db: DB } }, new FakeCli({ mcp_status: statuses(FAILED) }));
    expect(warnings).toMatchObject([
      {
        code: 'mcp-server-unavailable',
        message: expect.stringContaining('"db" could not be started or reached: ENOENT'),
        context: { server: 'db', status: 'failed', reason: 'ENOENT: no such file' },
      },
    ]);
  });

  it.each<[string, AgentOptions, string]>([
    ['required: true', { mcpServers: { db: { ...DB, required: true } } }, 'mcpServers'],
    ['allowedTools with a tool', { mcpServers: { db: DB }, allowedTools: ['mcp__db__read'] }, 'allowedTools'],
    ['allowedTools with a server of the settings', { allowedTools: ['mcp__db'] }, 'allowedTools'],
    ['permissionPromptTool', { mcpServers: { db: DB }, permissionPromptTool: 'mcp__db__ask' }, 'permissionPromptTool'],
  ])('[T-6] causes an error before the first prompt with %s', async (_, options, requiredBy) => {
    const cli = new FakeCli({ mcp_status: statuses('pending', FAILED) });
    const { session } = open(cli, options);
    const turn = session.send('go');
    await expect(session.ready).rejects.toMatchObject({
      code: 'mcp-server-unavailable',
      servers: [{ name: 'db', status: 'failed', reason: 'ENOENT: no such file', requiredBy }],
    });
    await expect(turn.result()).rejects.toMatchObject({ code: 'mcp-server-unavailable' });
    expect(cli.story).not.toContain('prompt go');
  });

  it('[T-6] causes a warning with required: false even if allowedTools names it', async () => {
    const options = { mcpServers: { db: { ...DB, required: false } }, allowedTools: ['mcp__db'] };
    const { warnings } = await start(options, new FakeCli({ mcp_status: statuses(FAILED) }));
    expect(warnings.map(({ code }) => code)).toEqual(['mcp-server-unavailable']);
  });

  it('[T-6] causes an error only if it is required explicitly and not listed by the CLI', async () => {
    const nothing = success({ mcpServers: [] });
    const options = { mcpServers: { db: DB }, allowedTools: ['mcp__db'] };
    expect((await start(options, new FakeCli({ mcp_status: nothing }))).warnings).toEqual([]);
    const { session } = open(new FakeCli({ mcp_status: nothing }), { mcpServers: { db: { ...DB, required: true } } });
    await expect(session.ready).rejects.toMatchObject({ servers: [{ name: 'db', status: 'missing' }] });
  });

  it('[T-6] causes an error in a query as well', async () => {
    const cli = new FakeCli({ mcp_status: statuses(FAILED) });
    await using stream = query('go', { transport: cli, mcpServers: { db: DB }, allowedTools: ['mcp__db'] });
    await expect(stream.text()).rejects.toMatchObject({ code: 'mcp-server-unavailable' });
    expect(cli.story).not.toContain('prompt go');
  });

  it('[T-6] later is reported once with the reason, until it works again', async () => {
    const cli = new FakeCli({ mcp_status: statuses('connected', FAILED) });
    const { session, warnings } = await start({ mcpServers: { db: DB } }, cli);
    const states = ['connected', 'failed', 'failed', 'connected', 'failed'];
    for (const [number, status] of states.entries()) {
      const turn = session.send(`${number}`);
      const prompt = await cli.got(`prompt ${number}`);
      cli.say({ ...INIT, mcp_servers: [{ name: 'db', status }], user_message_uuids: [prompt.uuid] });
      cli.finish(prompt);
      await turn.result();
      await settle();
    }
    expect(warnings.map(({ context }) => context.reason)).toEqual(['ENOENT: no such file', 'ENOENT: no such file']);
  });
});

describe('the first prompt of a session', () => {
  it('[T-6] waits until the servers of the options are connected', async () => {
    const cli = new FakeCli({ mcp_status: statuses('pending', 'pending', 'connected') });
    const { session, warnings } = open(cli, { mcpServers: { db: DB } });
    void session.send('go');
    await cli.got('prompt go');
    expect(cli.story).toEqual(['initialize', 'mcp_status', 'mcp_status', 'mcp_status', 'prompt go']);
    expect(warnings).toEqual([]);
  });

  it('[T-6] waits at most limits.serverStartMs; a required server then causes an error', async () => {
    const limits = { serverStartMs: 60 };
    const cli = new FakeCli({ mcp_status: statuses('pending') });
    expect((await start({ mcpServers: { db: DB }, limits }, cli)).warnings).toEqual([]);
    const required = open(new FakeCli({ mcp_status: statuses('pending') }), {
      mcpServers: { db: { ...DB, required: true } },
      limits,
    });
    await expect(required.session.ready).rejects.toMatchObject({
      message: expect.stringContaining('limits.serverStartMs'),
      servers: [{ status: 'pending' }],
    });
  });

  it('[T-6] does not wait for other servers, or if the CLI cannot list them', async () => {
    const other = success({ mcpServers: [{ name: 'slow', status: 'pending', scope: 'user' }] });
    await start({ mcpServers: { db: DB } }, new FakeCli({ mcp_status: other }));
    await start({ mcpServers: { db: DB } }, new FakeCli());
    const { cli } = await start({ mcpServers: { calc: () => undefined }, allowedTools: ['mcp__calc'] });
    expect(cli.story).toEqual(['initialize']);
  });

  it('[T-6, S-9] does not wait if the session is closed meanwhile', async () => {
    const { session, cli } = open(new FakeCli({ mcp_status: statuses('pending') }), { mcpServers: { db: DB } });
    session.ready.catch(() => {});
    await cli.got('mcp_status', 2);
    await session.close();
    await expect(session.ready).rejects.toMatchObject({ code: 'session-stopped' });
  });
});

describe('an MCP server from the settings', () => {
  it.each<[string, AgentOptions, string, string]>([
    ['a server in this process', { mcpServers: { 'x.y': () => undefined } }, 'x_y', 'mcpServers.x.y'],
    ['a server in this process, as a prefix', { mcpServers: { db: () => undefined } }, 'db__admin', 'mcpServers.db'],
    ['a server in this process of the same name', { mcpServers: { db: () => undefined } }, 'db', 'mcpServers.db'],
    ['a rule', { allowedTools: ['mcp__db'] }, 'db__admin', 'mcp__db'],
  ])(
    '[T-5] whose tools are allowed by %s ends the session before a tool runs',
    async (_, options, server, allowedBy) => {
      const { session, cli } = await start(options);
      const turn = session.send('go');
      const prompt = await cli.got('prompt go');
      cli.say({
        ...INIT,
        mcp_servers: [{ name: server, status: 'connected', source: 'project' }],
        user_message_uuids: [prompt.uuid],
      });
      const error = { code: 'mcp-server-collision', server, allowedBy };
      await expect(turn.result()).rejects.toMatchObject(error);
      expect(session.state).toBe('failed');
    },
  );

  it.each([
    ['is still starting', 'pending', 0],
    ['appears after the first turn', 'connected', 1],
  ])('[T-5] whose tools are allowed ends the session even if it %s', async (_, status, turns) => {
    const { session, cli } = await start({ mcpServers: { db: () => undefined } });
    const ours = { name: 'db', status: 'connected', source: 'sdk' };
    const listed = (servers: object[], uuid: unknown): object => ({
      ...INIT,
      mcp_servers: servers,
      user_message_uuids: [uuid],
    });
    for (let nth = 0; nth < turns; nth++) {
      const turn = session.send('before');
      const prompt = await cli.got('prompt before');
      cli.say(listed([ours], prompt.uuid));
      cli.finish(prompt);
      await turn.result();
    }
    const turn = session.send('go');
    cli.say(listed([ours, { name: 'db__admin', status, source: 'user' }], (await cli.got('prompt go')).uuid));
    await expect(turn.result()).rejects.toMatchObject({ code: 'mcp-server-collision', server: 'db__admin' });
  });
});

describe('setMcpServers()', () => {
  it('[T-5] refuses a server that a rule for another one also allows', async () => {
    const { session, cli } = await start({ mcpServers: { 'x.y': () => undefined }, allowedTools: ['mcp__db'] });
    await expect(session.setMcpServers({ x_y: DB })).rejects.toThrow(/servers\.x_y: cannot be distinguished from x\.y/);
    await expect(session.setMcpServers({ 'x.y': DB })).rejects.toThrow(/servers\["x\.y"\]: cannot be distinguished/);
    await expect(session.setMcpServers({ db__admin: DB })).rejects.toThrow(/allowedTools\[0\]/);
    await expect(session.setMcpServers({ a: DB, a__b: DB })).rejects.toThrow(/servers\.a__b/);
    expect(cli.story).not.toContain('mcp_set_servers');
  });

  it('[T-6] waits for required servers, and fails if one cannot be used', async () => {
    const cli = new FakeCli({ mcp_status: statuses('pending', FAILED) });
    const { session } = await start({}, cli);
    await expect(session.setMcpServers({ db: { ...DB, required: true } })).rejects.toMatchObject({
      code: 'mcp-server-unavailable',
    });
    expect((await cli.got('mcp_set_servers')).request?.servers).toEqual({ db: { command: 'db-server', args: [] } });
    expect(session.state).toBe('running');
  });
});
