import { describe, expect, it } from 'vitest';
import { secretsIn } from '../src/redact.ts';

/** The secrets of one MCP server. */
function ofServer(server: object): string[] {
  return secretsIn({ mcpServers: { name: server } });
}

describe('secretsIn', () => {
  it('[C-10] finds secret values by the names of variables and headers', () => {
    expect(
      secretsIn({
        ANTHROPIC_API_KEY: 'k1',
        GITHUB_TOKEN: 't1',
        DB_PASSWORD: 'p1',
        AWS_SECRET: 's1',
        Authorization: 'a1',
        Cookie: 'c1',
        GOOGLE_APPLICATION_CREDENTIALS: 'g1',
        SSH_PASSPHRASE: 'h1',
        GITHUB_PAT: 'y1',
        NPM_AUTH: 'n1',
        PATH: '/bin',
        PATTERN: 'x*',
        SSH_AUTH_SOCK: '/tmp/agent',
        LANG: 'C',
      }),
    ).toEqual(['k1', 't1', 'p1', 's1', 'a1', 'c1', 'g1', 'h1', 'y1', 'n1']);
  });

  it('[C-10] finds numbers, ignores other values that are not strings, and accepts undefined', () => {
    expect(secretsIn({ API_KEY: 42, TOKEN: undefined, SECRET: null, KEY: '' })).toEqual(['42']);
    expect(secretsIn(undefined)).toEqual([]);
  });

  it('[C-10] finds the passwords of proxies and base URLs, encoded and decoded', () => {
    expect(secretsIn({ HTTPS_PROXY: 'http://me:p%40ss-word@proxy:8080' })).toEqual([
      'me:p%40ss-word',
      'p%40ss-word',
      'p@ss-word',
    ]);
    expect(secretsIn({ ANTHROPIC_BASE_URL: 'https://gate-token@gate.example/v1' })).toEqual(['gate-token']);
    expect(secretsIn({ DATABASE_URL: 'postgres://u:a@b@c@db/x?sslmode=require' })).toEqual(['u:a@b@c', 'a@b@c']);
    expect(secretsIn({ BASE: 'https://gate.example/?api_key=abc%2Fdef&model=opus' })).toEqual(['abc%2Fdef', 'abc/def']);
    expect(secretsIn({ NO_PROXY: 'localhost,me@example.org', BASE: 'https://gate.example/v1/messages' })).toEqual([]);
    expect(secretsIn({ ODD: 'https://me:100%@host' })).toEqual(['me:100%', '100%']);
  });

  it('[C-10] finds the values of several headers in one variable', () => {
    expect(secretsIn({ ANTHROPIC_CUSTOM_HEADERS: 'X-One: first-value\nAuthorization: Bearer second-value' })).toEqual([
      'first-value',
      'Bearer second-value',
      'second-value',
    ]);
    expect(secretsIn({ OTEL_EXPORTER_OTLP_HEADERS: 'a=first-value,b=second-value' })).toEqual([
      'first-value',
      'second-value',
    ]);
  });

  it('[C-10] finds values with a secret name in settings at any depth', () => {
    const settings = {
      model: 'opus',
      env: { MY_TOKEN: 'env-token', LOG_LEVEL: 'debug-level' },
      apiKeyHelper: 'print-the-key',
      plugins: [{ options: { credentials: { user: 'plugin-user', words: ['plugin-word'] } } }],
      hooks: { Stop: [{ hooks: [{ type: 'http', url: 'https://x/hook', headers: { 'X-A': 'hook-header' } }] }] },
    };
    expect(secretsIn({ settings })).toEqual([
      'env-token',
      'print-the-key',
      'plugin-user',
      'plugin-word',
      'hook-header',
    ]);
  });

  it.each<[string, object, string[]]>([
    ['the value of every variable', { command: 'x', env: { MODE: 'value-1', B: '' } }, ['value-1']],
    [
      'the value of every header',
      { type: 'http', url: 'https://x/mcp', headers: { A: 'Bearer value-1' } },
      ['Bearer value-1', 'value-1'],
    ],
    [
      'args after a flag',
      { command: 'x', args: ['-y', 'pkg', '--api-key', 'value-1', '--token', '--other'] },
      ['value-1'],
    ],
    ['args with a name', { command: 'x', args: ['--api-key=value-1', '-e', 'TOKEN=value-2'] }, ['value-1', 'value-2']],
    ['args with a header', { command: 'x', args: ['--header', 'X-Api-Key: value-1'] }, ['value-1']],
    ['args with a URL', { command: 'x', args: ['postgres://u:value-1@db'] }, ['u:value-1', 'value-1']],
    ['args that look like tokens', { command: 'x', args: ['ghp_abcdefgh0123456789'] }, ['ghp_abcdefgh0123456789']],
    [
      'nothing in other args',
      { command: 'npx', args: ['-y', '@modelcontextprotocol/server-files@1.2.3', '/home/me/work', '--verbose'] },
      [],
    ],
    [
      'a path',
      { type: 'http', url: 'https://x/s/long-path-token/mcp' },
      ['long-path-token', 'https://x/s/long-path-token/mcp'],
    ],
    ['a fragment', { type: 'sse', url: 'https://x/mcp#value-1' }, ['value-1', 'https://x/mcp#value-1']],
    ['a query', { type: 'http', url: 'https://x?k=value-1' }, ['value-1', 'k=value-1', 'https://x?k=value-1']],
    ['a user', { type: 'http', url: 'https://value-1@x' }, ['value-1', 'https://value-1@x']],
    ['nothing in an ordinary URL', { type: 'http', url: 'https://mcp.example.org/v1/mcp' }, []],
    ['fields of newer releases', { type: 'http', url: 'https://x', oauth: { clientSecret: 'value-1' } }, ['value-1']],
  ])('[C-10] finds in an MCP server: %s', (_what, server, found) => {
    expect(ofServer(server)).toEqual(found);
  });

  it('[C-10] recognises a server with a secret name', () => {
    expect(secretsIn({ servers: { tokens: { command: 'node', args: ['server.js'] } } })).toEqual([]);
  });

  it('[C-10] terminates for a circular object', () => {
    const settings: Record<string, unknown> = { TOKEN: 'value-1' };
    settings.self = settings;
    expect(secretsIn({ settings })).toEqual(['value-1']);
  });
});
