import { describe, expect, it } from 'vitest';
import type { AgentOptions, Logger } from '../../src/options/option-types.ts';
import { query } from '../../src/query/query.ts';
import type { Session } from '../../src/session/session.ts';
import { open as supervise } from '../restart/stage.ts';
import { FakeCli, refusal, settle, start, success } from '../support/fake-cli.ts';
import { result } from '../support/say.ts';

/** A source of a secret, and the forms in which the CLI may repeat it. */
interface Source {
  readonly options?: AgentOptions;
  readonly give?: (session: Pick<Session, 'setMcpServers' | 'applySettings' | 'request'>) => Promise<unknown>;
  readonly secrets: readonly string[];
}

const SOURCES: Readonly<Record<string, Source>> = {
  'setMcpServers(): env': {
    give: (session) => session.setMcpServers({ a: { command: 'x', env: { MODE: 'set-variable' } } }),
    secrets: ['set-variable'],
  },
  'setMcpServers(): args': {
    give: (session) => session.setMcpServers({ a: { command: 'x', args: ['--api-key', 'set-argument'] } }),
    secrets: ['set-argument'],
  },
  'setMcpServers(): headers': {
    give: (session) =>
      session.setMcpServers({
        a: { type: 'http', url: 'https://x/mcp', headers: { Authorization: 'Token set-header' } },
      }),
    secrets: ['Token set-header', 'set-header'],
  },
  'setMcpServers(): URL': {
    give: (session) =>
      session.setMcpServers({
        a: { type: 'http', url: 'https://me:set%40user@x/s/set-path-token/mcp?k=set-query#set-fragment' },
      }),
    secrets: ['set%40user', 'set@user', 'set-path-token', 'set-query', 'set-fragment'],
  },
  'applySettings()': {
    give: (session) =>
      session.applySettings({ env: { MY_TOKEN: 'applied-token', PROXY: 'http://me:applied-pw@proxy' } }),
    secrets: ['applied-token', 'applied-pw'],
  },
  'request()': {
    give: (session) => session.request('of_the_future', { login: { password: 'requested-pw' } }),
    secrets: ['requested-pw'],
  },
  'a number in settings': {
    options: { settings: { env: { DB_PASSWORD: 84_221_907 } } },
    secrets: ['84221907'],
  },
  'request() with a number': {
    give: (session) => session.request('of_the_future', { login: { pin: { secret: 91_337_002 } } }),
    secrets: ['91337002'],
  },
  'a proxy': {
    options: { env: { HTTPS_PROXY: 'http://me:pw%21of-proxy@proxy:8080' } },
    secrets: ['pw%21of-proxy', 'pw!of-proxy'],
  },
  'a base URL': {
    options: { env: { ANTHROPIC_BASE_URL: 'https://me:pw-of-base@gate/v1' } },
    secrets: ['pw-of-base', 'me:pw-of-base'],
  },
  'a variable of headers': {
    options: { env: { ANTHROPIC_CUSTOM_HEADERS: 'X-Gate: header-of-gate' } },
    secrets: ['header-of-gate'],
  },
  'args of an MCP server': {
    options: { mcpServers: { a: { command: 'x', args: ['--token=arg-of-server'] } } },
    secrets: ['arg-of-server'],
  },
  'the path and fragment of an MCP URL': {
    options: { mcpServers: { a: { type: 'sse', url: 'https://x/path-of-server/sse#part-of-server' } } },
    secrets: ['path-of-server', 'part-of-server'],
  },
  'nested settings': {
    options: { settings: { plugin: { options: { apiSecret: 'deep-in-settings' } } } },
    secrets: ['deep-in-settings'],
  },
};

describe.each(Object.entries(SOURCES))('a secret from %s', (_name, { options = {}, give, secrets }) => {
  const spilled = secrets.join(' / ');

  it('[C-10] does not leak from a session, even if the CLI prints it', async () => {
    const { shown, logger } = noted();
    const cli = new FakeCli({
      set_model: refusal(`no model with ${spilled}`),
      mcp_status: success({ mcpServers: [{ name: 'a', status: 'failed', error: spilled }] }),
    });
    const guard = (): never => {
      throw new Error(`401 for ${spilled}`);
    };
    const { session, events, warnings } = await start(
      { ...options, logger, hooks: { PreToolUse: guard }, onStderr: shown.add },
      cli,
    );
    await give?.(session);
    cli.print(`noise ${spilled}\n`);
    cli.print(`{"type":"control_response","response":{"subtype":"success","note":"${spilled}"}}\n`);
    cli.errorOutput.push(Buffer.from(`stderr ${spilled}\n`));
    cli.askHook('h1');
    await cli.answered('h1');
    shown.add(await session.setModel('x').catch((error: unknown) => error));
    shown.add(await session.mcpStatus());
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    cli.say(
      result({
        subtype: 'error_during_execution',
        is_error: true,
        errors: [spilled],
        user_message_uuids: [prompt.uuid],
      }),
    );
    // Only the message of the error: its `result` is an unchanged message of the CLI.
    shown.add(String(await turn.text().catch((error: unknown) => error)));
    cli.die(1);
    shown.add(await session.closed);
    shown.add(await session.setModel('y').catch((error: unknown) => error));
    await settle();
    const reported = JSON.stringify([shown.all, events, warnings]);
    expect(reported.split('[redacted]').length).toBeGreaterThan(6);
    expect(warnings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['undecodable-line', 'malformed-control-frame', 'hook-failed']),
    );
    expect(secrets.filter((secret) => reported.includes(secret))).toEqual([]);
  });

  it('[C-10, A-2] does not leak from a restarting session, before and after the restart', async () => {
    const { shown, logger } = noted();
    const { session, cli, events, warnings } = supervise({ ...options, logger });
    const [cli1] = [await cli(1)];
    await session.ready;
    if (give) await give(session);
    cli1.errorOutput.push(Buffer.from(`stderr ${spilled}\n`));
    cli1.die(1);
    const cli2 = await cli(2);
    await cli2.got('initialize');
    cli2.errorOutput.push(Buffer.from(`stderr ${spilled}\n`));
    cli2.print(`noise ${spilled}\n`);
    shown.add(String(await session.mcpStatus().catch((error: unknown) => error)));
    await session.close();
    const reported = JSON.stringify([shown.all, events, warnings]);
    expect(reported).toContain('[redacted]');
    expect(secrets.filter((secret) => reported.includes(secret))).toEqual([]);
  });

  const given = give === undefined ? ['one-shot', 'two-way'] : [];
  it.each(given)('[C-10] does not leak from a %s query', async (kind) => {
    const { shown, logger } = noted();
    const cli = new FakeCli();
    const hooks = kind === 'two-way' ? { Stop: () => undefined } : {};
    if (kind === 'one-shot') cli.write = () => Promise.resolve();
    const stream = query('one', {
      ...options,
      transport: cli,
      logger,
      hooks,
      onEvent: shown.add,
      onWarning: shown.add,
      onStderr: shown.add,
    });
    await stream.started;
    if (kind === 'two-way') await cli.got('prompt one');
    cli.errorOutput.push(Buffer.from(`stderr ${spilled}\n`));
    cli.print(`noise ${spilled}\n`);
    cli.die(1);
    const failure = await (async () => {
      for await (const _ of stream);
    })().catch((error: unknown) => error);
    const reported = JSON.stringify([shown.all, String(failure), failure, stream.warnings]);
    expect(reported).toContain('[redacted]');
    expect(secrets.filter((secret) => reported.includes(secret))).toEqual([]);
  });
});

/** Everything that the SDK outputs. */
function noted(): { shown: { all: unknown[]; add: (what: unknown) => void }; logger: Logger } {
  const all: unknown[] = [];
  const add = (...what: unknown[]): void => void all.push(what);
  return { shown: { all, add }, logger: { trace: add, debug: add, info: add, warn: add, error: add } };
}
