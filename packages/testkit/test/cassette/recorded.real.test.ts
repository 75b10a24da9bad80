import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { query } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { replaying } from '../../src/index.ts';
import { startedSession } from '../started-session.ts';
import { type Scene, scenes } from './scenes.ts';
import { temporaryFolder } from './temporary-folder.ts';

const FOLDER = fileURLToPath(new URL('../fixtures/cassettes', import.meta.url));
const VERSIONS = readdirSync(FOLDER).flatMap((name) => /^plain-query\.(.*)\.ndjson$/.exec(name)?.[1] ?? []);

/** The host's view of each scene, recorded or played. */
const OUTCOMES: Readonly<Record<keyof typeof scenes, object>> = {
  'plain-query': {
    types: ['system', 'assistant', 'result'],
    text: 'Hello there.',
    warnings: [],
    terminalError: undefined,
  },
  'two-turns': { answers: ['I will remember.', 'Ariel.'], exitCode: 0, ended: 'by-itself' },
  callbacks: {
    calls: [
      'hook Bash in the project',
      'hook Write in the project',
      'asked Write ./notes.txt',
      'hook mcp__host__add in the project',
      'tool {"a":2,"b":3}',
    ],
    text: 'Noted, and the sum is 5.',
  },
  interrupt: { outcome: 'interrupted', next: 'Second.' },
  'error-result': {
    outcome: expect.objectContaining({ kind: 'api-error', status: 400, message: 'API Error: 400 the boat is full' }),
    terminalError: undefined,
  },
};

describe.each(VERSIONS)('a recording of Claude Code %s', (version) => {
  const cassette = (name: string): string => join(FOLDER, `${name}.${version}.ndjson`);

  it.each(Object.entries<Scene>(scenes))(
    '[K-3] gives the host the recorded output without the CLI: %s',
    async (name, { play }) => {
      const transport = replaying(cassette(name));
      const cwd = temporaryFolder();
      const options = { transport, cwd, env: { HOME: join(cwd, 'home') }, inheritEnv: false };
      expect(await play({ options, cwd })).toEqual(Reflect.get(OUTCOMES, name));
      expect(await transport.unplayed()).toEqual([]);
      // File changes of the recorded CLI are not repeated.
      expect(existsSync(join(cwd, 'notes.txt'))).toBe(false);
    },
  );

  it('[K-3] contains its release', () => {
    const [header = ''] = readFileSync(cassette('plain-query'), 'utf8').split('\n');
    expect(JSON.parse(header)).toMatchObject({ coxswainCassette: 1, cliVersion: version, mode: 'query' });
  });

  it('[K-3] gives a session the id and the folders of the replay', async () => {
    const cwd = temporaryFolder();
    const env = { HOME: join(cwd, 'home'), CLAUDE_CONFIG_DIR: join(cwd, 'config') };
    const transport = replaying(cassette('two-turns'));
    await using session = await startedSession({ transport, cwd, env, inheritEnv: false });
    const { messages } = await session.send('The boat is called Ariel.').collect();
    expect(messages).toContainEqual(expect.objectContaining({ subtype: 'init', cwd, session_id: session.id }));
    expect(session.capabilities.cliVersion).toBe(version);
    expect(await session.send('What is she called?').text()).toBe('Ariel.');
  });

  it('[K-3] fails with the place and the difference if the host sends another prompt', async () => {
    const { terminalError } = await query('Say goodbye.', { transport: replaying(cassette('plain-query')) }).collect();
    expect(terminalError?.message).toContain(
      `${cassette('plain-query')}:2: in the recording the host writes the text "Say hello." here, but it wrote the text "Say goodbye."`,
    );
  });
});

describe('the shipped cassettes', () => {
  it('[K-3, C-10] contain no secret and no folder of the machine they were made on', () => {
    const files = readdirSync(FOLDER);
    expect(files).toHaveLength(VERSIONS.length * Object.keys(scenes).length);
    for (const file of files) {
      const text = readFileSync(join(FOLDER, file), 'utf8');
      expect(text).not.toMatch(/sk-ant-|\/tmp\/|\/home\/|\/root\b|\/work\/|127\.0\.0\.1/);
    }
  });
});
