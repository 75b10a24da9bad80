import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSession, query } from 'coxswain';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { realCli, testedVersions } from '../../../../conformance/harness/real-cli.ts';
import { startFakeApi, text, toolUse } from '../../src/index.ts';

let proxy: RecordingProxy;
let cwd: string;

beforeEach(async () => {
  proxy = await recordingProxy();
  cwd = await mkdtemp(join(tmpdir(), 'cox-project-'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  proxy.close();
  await rm(cwd, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

describe.each(testedVersions)('the agentOptions of a fake API with %s', (version) => {
  const cli = realCli(version);

  it.each(['BEDROCK', 'VERTEX', 'FOUNDRY'])(
    '[K-2] keep queries and sessions away from a provider that the environment selects: %s',
    async (provider) => {
      selectProvider(provider);
      await using api = await startFakeApi(() => text('Hello.'));
      const options = { ...api.agentOptions, cli, cwd };
      expect(await query('Hi.', options).text()).toBe('Hello.');
      await using session = openSession(options);
      expect(await session.send('Hi.').text()).toBe('Hello.');
      expect(api.conversation).toHaveLength(2);
      expect(proxy.asked).toEqual([]);
    },
  );

  it('[K-2] prevent requests to any other host, even through a proxy', async () => {
    await using api = await startFakeApi(() => text('Hello.'));
    const env = { ...api.agentOptions.env, HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' };
    expect(await query('Hi.', { ...api.agentOptions, env, cli, cwd }).text()).toBe('Hello.');
    expect(proxy.asked).toEqual([]);
  });

  it('[K-2] hide secrets and the home of the user from the tools of the CLI, and leave no files', async () => {
    selectProvider('BEDROCK');
    const command = 'echo "home=$HOME key=$AWS_SECRET_ACCESS_KEY proxy=$HTTPS_PROXY"';
    const api = await startFakeApi([toolUse('Bash', { command }), text('Done.')]);
    const home = api.agentOptions.env.HOME ?? '';
    await query('Look.', { ...api.agentOptions, cli, cwd, allowedTools: ['Bash'] }).text();
    expect(api.conversation.at(-1)?.toolResults).toMatchObject([{ text: `home=${home} key= proxy=` }]);
    expect(existsSync(join(home, '.claude', 'projects'))).toBe(true);
    await api.close();
    expect(existsSync(home)).toBe(false);
  });

  it('[K-2] are needed: with only the URL and a key, the CLI contacts the provider', async () => {
    selectProvider('BEDROCK');
    await using api = await startFakeApi(() => text('Hello.'));
    const { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY, HOME } = api.agentOptions.env;
    const env = { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY, HOME };
    await using stream = query('Hi.', { env, cli, cwd, configDir: api.agentOptions.configDir });
    const ended = stream.collect();
    await expect.poll(() => proxy.asked, { timeout: 30_000 }).not.toEqual([]);
    await stream.close();
    await ended;
    expect(api.conversation).toEqual([]);
  });
});

/** Selects a provider, with invalid credentials, in the environment of this process. */
function selectProvider(provider: string): void {
  const variables = {
    [`CLAUDE_CODE_USE_${provider}`]: '1',
    ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'AKIANOTAREALKEY', AWS_SECRET_ACCESS_KEY: 'not-a-real-secret' },
    ...{ CLOUD_ML_REGION: 'us-east5', ANTHROPIC_VERTEX_PROJECT_ID: 'none', CLAUDE_CODE_SKIP_VERTEX_AUTH: '1' },
    ...{ ANTHROPIC_FOUNDRY_RESOURCE: 'none', ANTHROPIC_FOUNDRY_API_KEY: 'not-a-real-key' },
    ...{ HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url, https_proxy: proxy.url, http_proxy: proxy.url },
    ...{ NO_PROXY: '', no_proxy: '' },
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
}

interface RecordingProxy {
  readonly url: string;
  /** The requested hosts and URLs; all of them are refused. */
  readonly asked: readonly string[];
  close(): void;
}

async function recordingProxy(): Promise<RecordingProxy> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(403).end();
  });
  server.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    socket.on('error', () => {});
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
