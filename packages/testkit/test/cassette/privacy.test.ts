import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentOptions, query } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { inMemoryCli, recording, replaying, script } from '../../src/index.ts';
import { startedSession } from '../started-session.ts';
import { temporaryFolder } from './temporary-folder.ts';

const SECRETS = {
  apiKey: 'sk-ant-api03-AbCdEfGhIjKlMnOp',
  unknownKey: 'sk-ant-oat01-never-said-before',
  variable: 'quite-secret-ünïcode-value',
  serverVariable: 'postgres-password-1',
  header: 'header-value-of-a-server',
  agentServer: 'variable-of-an-agents-server',
  later: 'header-of-a-server-set-later',
  laterArgument: 'argument-of-a-server-set-later',
  laterPath: 'path-of-a-server-set-later',
  applied: 'token-in-settings-applied-later',
  requested: 'password-in-a-request-of-the-future',
  argument: 'argument-of-a-server',
  path: 'path-of-a-server',
  fragment: 'fragment-of-a-server',
  proxy: 'password-of-the-proxy',
  customHeader: 'header-in-a-variable',
  url: 'user:hunter22',
  named: 'only-the-caller-knows',
};

/** Words of the protocol that are long enough to count as secrets. */
const WORDS = [
  ...[
    'assistant',
    'result',
    'system',
    'message',
    'content',
    'success',
    'control_request',
    'control_response',
    'request',
  ],
  ...['response', 'initialize', 'stream-json', 'stream', 'session', 'session_id', 'request_id', 'tool_use', 'default'],
  ...[
    'WebFetch',
    'PreToolUse',
    'hook_callback',
    'thinking',
    'content_block_delta',
    'output-format',
    'verbose',
    '000000',
  ],
];

/** One turn of a session: the kinds of its messages, and the text. */
async function talk(options: AgentOptions): Promise<{ kinds: unknown[]; text: string }> {
  await using session = await startedSession(options);
  const turn = session.send('Tell me the result, assistant.');
  const kinds: unknown[] = [];
  for await (const message of turn) kinds.push([message.type, 'subtype' in message && message.subtype]);
  return { kinds, text: await turn.text() };
}

describe('a cassette', () => {
  it('[K-3, C-10] contains no secret, from any source and in any place', async () => {
    const file = join(temporaryFolder(), 'secret.ndjson');
    const all = Object.values(SECRETS).join(' and ');
    const agent = script()
      .initializeWith({ account: { email: 'me@example.org', organization: 'Example', apiKeySource: 'user' } })
      .otherwise((turn) =>
        turn
          .stderr(`debug: ${all}\n`)
          .useTool('Bash', { command: `echo ${all}` }, { result: all, permission: 'allow' })
          .bytes(Buffer.concat([Uint8Array.of(0xff), Buffer.from(` ${all}\n`)]))
          .say(`It is ${all}`),
      );
    const record = recording(file, { inner: inMemoryCli(agent).transport, secrets: [SECRETS.named] });
    const session = await startedSession({
      transport: record,
      apiKey: SECRETS.apiKey,
      env: {
        DEPLOY_TOKEN: SECRETS.variable,
        HTTPS_PROXY: `http://me:${SECRETS.proxy}@proxy:8080`,
        ANTHROPIC_CUSTOM_HEADERS: `X-Gate: ${SECRETS.customHeader}`,
      },
      mcpServers: {
        local: { command: 'db', args: ['--key', SECRETS.argument], env: { DATABASE: SECRETS.serverVariable } },
        path: { type: 'sse', url: `https://example.org/${SECRETS.path}/sse#${SECRETS.fragment}` },
        remote: {
          type: 'http',
          url: `https://${SECRETS.url}@example.org/`,
          headers: { 'x-who': `Basic ${SECRETS.header}` },
        },
      },
      agents: {
        scout: {
          description: 'looks',
          prompt: 'Look.',
          mcpServers: [{ own: { command: 'x', env: { WHAT: SECRETS.agentServer } } }],
        },
      },
      hooks: { PreToolUse: () => ({ systemMessage: all }) },
    });
    await session.setMcpServers({
      later: { type: 'http', url: `http://localhost/${SECRETS.laterPath}`, headers: { a: SECRETS.later } },
      local: { command: 'x', args: ['--api-key', SECRETS.laterArgument] },
    });
    await session.applySettings({ env: { MY_TOKEN: SECRETS.applied } });
    await expect(session.request('of_the_future', { password: SECRETS.requested })).rejects.toThrow('of_the_future');
    await session.send(all).text();
    await session.close();
    await record.saved();
    const cassette = readFileSync(file, 'utf8');
    const base64 = [...cassette.matchAll(/"base64":"([^"]+)"/g)].map(([, text = '']) => Buffer.from(text, 'base64'));
    expect(base64).toHaveLength(1);
    const everything = [cassette, ...base64.map((bytes) => bytes.toString('utf8'))].join('\n');
    for (const [name, secret] of Object.entries(SECRETS))
      expect({ name, found: everything.includes(secret) }).toEqual({ name, found: false });
    expect(everything).not.toContain('me@example.org');
    expect(everything).toContain('"apiKeySource":"user"');
    expect(everything).toContain('It is [redacted] and');
    expect(everything).toContain('<<coxswain:file:');
  });

  it('[K-3, C-10] stays valid if secrets equal words of the protocol, and can be played with and without them', async () => {
    const file = join(temporaryFolder(), 'words.ndjson');
    const agent = script().otherwise((turn) =>
      turn
        .think('The result is a message.')
        .useTool(
          'WebFetch',
          { url: 'https://x', name: 'result', type: 'system' },
          { result: 'a success', permission: 'allow' },
        )
        .say('The result, assistant.'),
    );
    const asked: unknown[] = [];
    const options = {
      includePartialMessages: true,
      permissionMode: 'default' as const,
      hooks: {
        PreToolUse: (input: { tool_name: string; hook_event_name: string }) => {
          asked.push([input.hook_event_name, input.tool_name]);
        },
      },
    };
    const record = recording(file, { inner: inMemoryCli(agent).transport, secrets: WORDS });
    const [seen, asks] = [await talk({ ...options, transport: record }), asked.splice(0)];
    await record.saved();
    expect(asks).toEqual([['PreToolUse', 'WebFetch']]);
    for (const env of [{}, Object.fromEntries(WORDS.map((word, n) => [`TOKEN_${n}`, word]))]) {
      const played = await talk({ ...options, env, transport: replaying(file) });
      expect(played.kinds).toEqual(seen.kinds);
      expect(asked.splice(0)).toEqual(asks);
      // All values are redacted.
      expect(played.text).toBe('The [redacted], [redacted].');
    }
    expect(readFileSync(file, 'utf8')).toContain('"name":"[redacted]","type":"[redacted]"');
  });

  it('[K-3, C-10] hides a secret in unusually formatted JSON, and keeps the rest unchanged', async () => {
    const file = join(temporaryFolder(), 'odd.ndjson');
    const lines = [
      '{"type":"odd",  "spaces": 1.0}',
      '{"type":"odd","doubled":"hidden-secret","doubled":"x"}',
      '{"type":"odd","escaped":"\\u0068idden-secret"}',
      '{"type":"odd", "hidden-secret',
    ];
    const agent = script().otherwise((turn) => {
      for (const line of lines) turn.line(line);
      return turn.say('ok');
    });
    const record = recording(file, { inner: inMemoryCli(agent).transport, secrets: ['hidden-secret'] });
    await query('x', { transport: record }).collect();
    await record.saved();
    const cassette = readFileSync(file, 'utf8');
    expect(cassette).not.toMatch(/hidden-secret|u0068/);
    expect(cassette).toContain(JSON.stringify(lines[0]));
    expect(cassette).toContain('"frame":{"type":"odd","escaped":"[redacted]"}');
  });

  it('[K-3] can be played if an ordinary word of the prompt is a secret', async () => {
    const file = join(temporaryFolder(), 'plain.ndjson');
    const record = recording(file, { inner: inMemoryCli(script().otherwise((turn) => turn.say('Yes.'))).transport });
    await query('Is it production?', { transport: record }).text();
    await record.saved();
    const replay = query('Is it production?', { env: { MY_KEY: 'production' }, transport: replaying(file) });
    expect(await replay.text()).toBe('Yes.');
  });

  it('[K-3] can be played with other secrets, and with none', async () => {
    const file = join(temporaryFolder(), 'keys.ndjson');
    const options = (token: string) => ({ env: { MY_TOKEN: token }, systemPrompt: `The token is ${token}.` });
    const record = recording(file, { inner: inMemoryCli(script().otherwise((turn) => turn.say('Yes.'))).transport });
    await query('Is it first-token?', { ...options('first-token'), transport: record }).text();
    await record.saved();
    for (const token of ['second-token', 'x']) {
      expect(await query(`Is it ${token}?`, { ...options(token), transport: replaying(file) }).text()).toBe('Yes.');
    }
  });

  it('[K-3] contains no folder of the machine, and can be played in other folders', async () => {
    const file = join(temporaryFolder(), 'folders.ndjson');
    const [here, there] = [temporaryFolder(), temporaryFolder()];
    const places = (root: string) => ({
      cwd: root,
      env: { HOME: join(root, 'home'), CLAUDE_CONFIG_DIR: join(root, 'home', '.claude'), TMPDIR: join(root, 'tmp') },
      addDirs: [join(root, 'more')],
    });
    const slug = here.replace(/[^a-zA-Z0-9]/g, '-');
    const agent = script().otherwise((turn) =>
      turn.say(`${here}/a ${here}x ${here}.md ${here}/home/.claude/projects/${slug}/1.jsonl "${here}/home" ${here}.`),
    );
    const record = recording(file, { inner: inMemoryCli(agent).transport });
    await query(`Look at ${here}/a`, { ...places(here), transport: record }).text();
    await record.saved();
    expect(readFileSync(file, 'utf8').replaceAll(`${here}x`, '').replaceAll(`${here}.md`, '')).not.toContain(here);
    const played = await query(`Look at ${there}/a`, { ...places(there), transport: replaying(file) }).text();
    expect(played).toBe(
      `${there}/a ${here}x ${here}.md ${there}/home/.claude/projects/${there.replace(/[^a-zA-Z0-9]/g, '-')}/1.jsonl "${there}/home" ${there}.`,
    );
  });

  it('[K-3] is filtered by scrub before it is written', async () => {
    const file = join(temporaryFolder(), 'scrubbed.ndjson');
    const agent = script().otherwise((turn) => turn.say('My address is 1 River Lane.'));
    const record = recording(file, {
      inner: inMemoryCli(agent).transport,
      scrub: (frame) => JSON.parse(JSON.stringify(frame).replaceAll('1 River Lane', 'somewhere')),
    });
    expect(await query('Where?', { transport: record }).text()).toBe('My address is 1 River Lane.');
    await record.saved();
    expect(await query('Where?', { transport: replaying(file) }).text()).toBe('My address is somewhere.');
  });
});
