import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { query, startSession } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { inMemoryCli, recording, replaying, script } from '../../src/index.ts';
import { temporaryFolder } from './temporary-folder.ts';

const SECRETS = {
  apiKey: 'sk-ant-api03-AbCdEfGhIjKlMnOp',
  unknownKey: 'sk-ant-oat01-never-said-before',
  variable: 'quite-secret-ünïcode-value',
  serverVariable: 'postgres-password-1',
  header: 'header-value-of-a-server',
  agentServer: 'variable-of-an-agents-server',
  later: 'header-of-a-server-set-later',
  url: 'user:hunter22',
  named: 'only-the-caller-knows',
};

describe('a cassette', () => {
  it('[K-3, C-10] holds none of the secrets, wherever they come from and wherever they are said', async () => {
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
    const session = await startSession({
      transport: record,
      apiKey: SECRETS.apiKey,
      env: { DEPLOY_TOKEN: SECRETS.variable },
      mcpServers: {
        local: { command: 'db', env: { DATABASE: SECRETS.serverVariable } },
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
    await session.setMcpServers({ later: { type: 'http', url: 'http://localhost', headers: { a: SECRETS.later } } });
    await session.send(all).text();
    await session.stop();
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

  it('[K-3] can be played with other secrets than it was recorded with, and with none', async () => {
    const file = join(temporaryFolder(), 'keys.ndjson');
    const options = (token: string) => ({ env: { MY_TOKEN: token }, systemPrompt: `The token is ${token}.` });
    const record = recording(file, { inner: inMemoryCli(script().otherwise((turn) => turn.say('Yes.'))).transport });
    await query('Is it first-token?', { ...options('first-token'), transport: record }).text();
    await record.saved();
    for (const token of ['second-token', 'x']) {
      expect(await query(`Is it ${token}?`, { ...options(token), transport: replaying(file) }).text()).toBe('Yes.');
    }
  });

  it('[K-3] holds no folder of the machine, and is played in those of another', async () => {
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

  it('[K-3] scrub has the last word on what is written', async () => {
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
