import { realpathSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../fixtures/cli/files.ts';
import { seenBy } from '../support/seen.ts';

afterEach(() => vi.unstubAllEnvs());

describe('the CLI receives', () => {
  it('[C-9] the environment of the host, overridden by that of the caller; undefined removes a variable', async () => {
    vi.stubEnv('FROM_HOST', 'host');
    vi.stubEnv('CHANGED', 'host');
    vi.stubEnv('REMOVED', 'host');
    const { env } = await seenBy({ env: { CHANGED: 'caller', REMOVED: undefined, ADDED: '' } });
    expect(env).toMatchObject({ FROM_HOST: 'host', CHANGED: 'caller', ADDED: '' });
    expect(env).not.toHaveProperty('REMOVED');
    expect(env.PATH).toBe(process.env.PATH);
  });

  it('[C-9] its entry point, but neither CLAUDECODE nor NODE_OPTIONS unless the caller sets them', async () => {
    vi.stubEnv('CLAUDECODE', '1');
    vi.stubEnv('NODE_OPTIONS', '--no-warnings');
    const { env } = await seenBy();
    expect(env).not.toHaveProperty('CLAUDECODE');
    expect(env).not.toHaveProperty('NODE_OPTIONS');
    expect(env).toMatchObject({ CLAUDE_CODE_ENTRYPOINT: 'coxswain', CLAUDE_CODE_SDK_READS_SESSION_STATE: '1' });
    const given = await seenBy({ env: { NODE_OPTIONS: '--no-warnings', CLAUDE_CODE_ENTRYPOINT: 'mine' } });
    expect(given.env).toMatchObject({ NODE_OPTIONS: '--no-warnings', CLAUDE_CODE_ENTRYPOINT: 'mine' });
  });

  it('[C-9] only the variables in inheritEnv', async () => {
    vi.stubEnv('APP_ONE', '1');
    vi.stubEnv('APP_TWO', '2');
    vi.stubEnv('OTHER', '3');
    const { env } = await seenBy({ inheritEnv: ['PATH', 'APP_*'] });
    expect(env).toMatchObject({ PATH: process.env.PATH, APP_ONE: '1', APP_TWO: '2' });
    expect(env).not.toHaveProperty('OTHER');
    expect(env).not.toHaveProperty('HOME');
  });

  it('[C-9] the API key and the retries as variables of the child only', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'from-the-host');
    const { env, argv } = await seenBy({ apiKey: 'from-the-caller', maxRetries: 0, configDir: '/somewhere' });
    expect(env).toMatchObject({
      ANTHROPIC_API_KEY: 'from-the-caller',
      CLAUDE_CODE_MAX_RETRIES: '0',
      CLAUDE_CONFIG_DIR: '/somewhere',
    });
    expect(argv.join(' ')).not.toContain('from-the-caller');
    expect(process.env.ANTHROPIC_API_KEY).toBe('from-the-host');
    expect(process.env).not.toHaveProperty('CLAUDE_CODE_MAX_RETRIES');
  });

  it('[C-11] the requested working directory, otherwise that of the host', async () => {
    const cwd = temporaryFolder();
    expect((await seenBy({ cwd })).cwd).toBe(cwd);
    expect((await seenBy({ cwd: '' })).cwd).toBe(realpathSync(process.cwd()));
  });

  it('[C-10] MCP servers with secrets in a readable file, not in argv', async () => {
    const { argv } = await seenBy({ mcpServers: { files: { command: 'x', env: { TOKEN: 'hunter2-hunter2' } } } });
    expect(argv).toEqual(expect.arrayContaining(['--mcp-config']));
    expect(argv.join(' ')).not.toContain('hunter2');
  });
});
