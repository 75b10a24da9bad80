import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { query } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { isolatedHome } from '../harness/isolated-home.ts';
import { realCli, testedVersions } from '../harness/real-cli.ts';

interface Seen {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** A server that refuses every request, and keeps it. */
async function refusing() {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    request.resume();
    seen.push({ path: request.url ?? '', headers: request.headers });
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"refused"}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe.each(testedVersions)('providers on %s', (version) => {
  it.each<[string, (url: string) => Record<string, string>, RegExp, IncomingHttpHeaders]>([
    [
      'a gateway with a token and headers of its own',
      (url) => ({
        ANTHROPIC_BASE_URL: `${url}/gateway`,
        ANTHROPIC_AUTH_TOKEN: 'token-of-the-gateway',
        ANTHROPIC_CUSTOM_HEADERS: 'x-team: boats\nx-cost-centre: 7',
      }),
      /^\/gateway\/v1\/messages/,
      { authorization: 'Bearer token-of-the-gateway', 'x-team': 'boats', 'x-cost-centre': '7' },
    ],
    [
      'Bedrock behind a gateway',
      (url) => ({
        CLAUDE_CODE_USE_BEDROCK: '1',
        CLAUDE_CODE_SKIP_BEDROCK_AUTH: '1',
        ANTHROPIC_BEDROCK_BASE_URL: `${url}/bedrock`,
        AWS_REGION: 'eu-central-1',
      }),
      /^\/bedrock\/model\/[^/]+\/invoke/,
      {},
    ],
    [
      'Vertex behind a gateway',
      (url) => ({
        CLAUDE_CODE_USE_VERTEX: '1',
        CLAUDE_CODE_SKIP_VERTEX_AUTH: '1',
        ANTHROPIC_VERTEX_BASE_URL: `${url}/vertex`,
        ANTHROPIC_VERTEX_PROJECT_ID: 'boats',
        CLOUD_ML_REGION: 'europe-west1',
      }),
      /^\/vertex\/projects\/boats\/locations\/europe-west1\/publishers\/anthropic\/models\/[^/]+:streamRawPredict/,
      {},
    ],
    [
      'Foundry',
      (url) => ({
        CLAUDE_CODE_USE_FOUNDRY: '1',
        ANTHROPIC_FOUNDRY_BASE_URL: `${url}/anthropic`,
        ANTHROPIC_FOUNDRY_API_KEY: 'key-of-foundry',
      }),
      /^\/anthropic\/v1\/messages/,
      {},
    ],
  ])('[O-3] requests go to %s, chosen with env', async (_name, variables, path, headers) => {
    await using provider = await refusing();
    await using home = await isolatedHome('http://127.0.0.1:9');
    const env = home.env({ ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined, ...variables(provider.url) });
    const stream = query('Hello', {
      cli: realCli(version),
      cwd: home.project,
      inheritEnv: false,
      env,
      timeoutMs: 50_000,
    });
    const result = await stream.result().catch((error: unknown) => error);
    expect(
      provider.seen.map((one) => one.path),
      String(result),
    ).toContainEqual(expect.stringMatching(path));
    expect(provider.seen.find((one) => path.test(one.path))?.headers).toMatchObject(headers);
    expect(provider.seen.filter((one) => one.headers['x-api-key']?.includes('sk-ant')).length).toBe(0);
  });
});
