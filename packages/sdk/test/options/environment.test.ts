import { describe, expect, it } from 'vitest';
import { buildEnv, type EnvOptions, RunEnvironment, secretsOf } from '../../src/options/environment.ts';
import { NO_PLAN } from '../../src/options/plan.ts';
import { createRedactor } from '../../src/redact.ts';
import { planOf } from './host.ts';

const OWN = { CLAUDE_CODE_ENTRYPOINT: 'coxswain', CLAUDE_CODE_SDK_READS_SESSION_STATE: '1' };

function env(options: EnvOptions, hostEnv: Record<string, string | undefined> = {}, platform = 'linux') {
  return buildEnv(options, { platform, env: hostEnv });
}

describe('buildEnv', () => {
  it("[C-9] inherits the host's environment and sets the variables of the SDK", () => {
    expect(env({}, { PATH: '/bin', HOME: '/home', GONE: undefined })).toEqual({ PATH: '/bin', HOME: '/home', ...OWN });
  });

  it('[C-9] merges env over it and removes variables that are undefined in env', () => {
    const given = { A: '1', B: undefined, C: '' };
    expect(env({ env: given }, { A: '0', B: '0', D: '0' })).toEqual({ A: '1', C: '', D: '0', ...OWN });
  });

  it('[C-9, S-16] ignores variables of observers that it does not inherit, such as CLAUDE_CODE_SIMPLE, which disables hooks', () => {
    const watched = { CLAUDE_CODE_SIMPLE: '1', NODE_OPTIONS: '--inspect', TRACEPARENT: '00' };
    expect(buildEnv({}, { platform: 'linux', env: {} }, watched)).toEqual({ TRACEPARENT: '00', ...OWN });
  });

  it.each(['CLAUDECODE', 'CLAUDE_CODE_SIMPLE', 'NODE_OPTIONS'])(
    '[C-9] does not inherit %s, unless the caller sets it',
    (name) => {
      expect(env({}, { [name]: 'x' })).toEqual(OWN);
      expect(env({ inheritEnv: [name, '*'] }, { [name]: 'x' })).toEqual(OWN);
      expect(env({ env: { [name]: 'y' } }, { [name]: 'x' })).toEqual({ [name]: 'y', ...OWN });
    },
  );

  it('[C-9] inherits nothing, or only the names and prefixes in inheritEnv', () => {
    const hostEnv = { PATH: '/bin', AWS_KEY: 'a', AWS: 'b', HOME: '/home', 'X*': 'c' };
    expect(env({ inheritEnv: false }, hostEnv)).toEqual(OWN);
    expect(env({ inheritEnv: [] }, hostEnv)).toEqual(OWN);
    expect(env({ inheritEnv: ['PATH', 'AWS_*', 'MISSING'] }, hostEnv)).toEqual({ PATH: '/bin', AWS_KEY: 'a', ...OWN });
    expect(env({ inheritEnv: ['*'] }, hostEnv)).toEqual({ ...hostEnv, ...OWN });
    expect(env({ inheritEnv: false, env: { A: 'x' } }, hostEnv)).toEqual({ A: 'x', ...OWN });
  });

  it('[C-9] sets the entry point unless env contains it, and replaces that of another process', () => {
    const hostEnv = { CLAUDE_CODE_ENTRYPOINT: 'cli' };
    expect(env({}, hostEnv).CLAUDE_CODE_ENTRYPOINT).toBe('coxswain');
    expect(env({ env: { CLAUDE_CODE_ENTRYPOINT: 'mine' } }, hostEnv).CLAUDE_CODE_ENTRYPOINT).toBe('mine');
    expect(env({ env: { CLAUDE_CODE_ENTRYPOINT: undefined } }, hostEnv)).not.toHaveProperty('CLAUDE_CODE_ENTRYPOINT');
  });

  it('[C-9] converts options to variables, which take precedence over env', () => {
    const options = { apiKey: 'k', maxRetries: 0, configDir: '/c', fileCheckpointing: true };
    const variables = {
      ANTHROPIC_API_KEY: 'k',
      CLAUDE_CODE_MAX_RETRIES: '0',
      CLAUDE_CONFIG_DIR: '/c',
      CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '1',
    };
    expect(env(options)).toEqual({ ...variables, ...OWN });
    expect(env({ ...options, env: { ANTHROPIC_API_KEY: 'other' } }, { ANTHROPIC_API_KEY: 'host' })).toEqual({
      ...variables,
      ...OWN,
    });
    expect(env({ fileCheckpointing: false })).toEqual(OWN);
  });

  it('[C-9] compares names like Windows on Windows', () => {
    const hostEnv = { Path: 'C:\\', NODE_options: 'x', ComSpec: 'y' };
    expect(env({ env: { PATH: 'D:\\', COMSPEC: undefined } }, hostEnv, 'win32')).toEqual({ PATH: 'D:\\', ...OWN });
    expect(env({ inheritEnv: ['PATH', 'com*'] }, hostEnv, 'win32')).toEqual({ Path: 'C:\\', ComSpec: 'y', ...OWN });
    expect(env({ env: { PATH: '/x' } }, { Path: '/y' })).toEqual({ Path: '/y', PATH: '/x', ...OWN });
  });

  it('[C-9] does not change the environment of the host', () => {
    const hostEnv = Object.freeze({ A: '1', NODE_OPTIONS: 'x' });
    const given = Object.freeze({ A: undefined });
    expect(env({ env: given, apiKey: 'k' }, hostEnv)).toEqual({ ANTHROPIC_API_KEY: 'k', ...OWN });
    expect(hostEnv).toEqual({ A: '1', NODE_OPTIONS: 'x' });
  });
});

describe('secretsOf', () => {
  const options = {
    apiKey: 'api-key-value',
    env: { MY_TOKEN: 'token-value', PLAIN: 'plain-value' },
    settings: { env: { SETTINGS_SECRET: 'settings-value' }, model: 'sonnet' },
    mcpServers: {
      files: { command: 'x', env: { DATABASE: 'mcp-env-value' } },
      web: {
        type: 'http' as const,
        url: 'https://example.org/?k=url-value',
        headers: { Authorization: 'Bearer header-value' },
      },
    },
    agents: {
      rev: {
        description: 'd',
        prompt: 'p',
        mcpServers: ['files', { own: { command: 'y', env: { A: 'agent-value' } } }],
      },
    },
  };

  it('[C-10] finds all secrets, and a redactor masks them', () => {
    const secrets = [...secretsOf(options, env(options, { HOST_PASSWORD: 'host-value', LANG: 'de_DE.UTF-8' }))];
    const redact = createRedactor(secrets);
    const expected = [
      ...['api-key-value', 'token-value', 'settings-value', 'mcp-env-value', 'Bearer header-value', 'header-value'],
      ...['https://example.org/?k=url-value', 'agent-value', 'host-value'],
    ];
    for (const secret of expected) expect(redact(`before ${secret} after`)).toBe('before [redacted] after');
    expect(redact('plain-value sonnet de_DE.UTF-8 coxswain')).toBe('plain-value sonnet de_DE.UTF-8 coxswain');
  });

  it('[C-10] finds no secrets in an empty run, and never an empty string', () => {
    expect([...secretsOf({}, {})]).toEqual([]);
    expect([...secretsOf({ mcpServers: { a: { command: 'x', env: { A: '' } } } }, { KEY: '' })]).toEqual([]);
    expect([...secretsOf({ settings: { env: null } }, {})]).toEqual([]);
  });
});

const { options } = NO_PLAN;

describe('RunEnvironment', () => {
  it('[C-9] captures the environment of the host when the run is created, not when its CLI starts', () => {
    const name = 'COXSWAIN_TEST_TENANT';
    try {
      process.env[name] = 'first';
      const environment = new RunEnvironment(options, process);
      process.env[name] = 'second';
      expect(environment.variables[name]).toBe('first');
    } finally {
      delete process.env[name];
    }
  });

  it('[C-9] captures the environment at the same time on Windows', () => {
    const env: Record<string, string> = { TENANT: 'first' };
    const environment = new RunEnvironment(options, { platform: 'win32', env });
    env.TENANT = 'second';
    expect(environment.variables.TENANT).toBe('first');
  });

  it("[C-9] captures the caller's variables when the run is created", () => {
    const env: Record<string, string> = { TENANT: 'first' };
    const { environment } = planOf('hi', [{ env }], { platform: 'linux', env: {}, cwd: () => '/' });
    env.TENANT = 'second';
    expect(environment.variables.TENANT).toBe('first');
  });

  it('[C-9] combines the environment of the host with the options', () => {
    const environment = new RunEnvironment(
      { ...options, env: { MINE: '1' } },
      { platform: 'linux', env: { THEIRS: '2' } },
    );
    expect(environment.variables).toMatchObject({ MINE: '1', THEIRS: '2' });
  });

  it('[C-10] redacts secrets before and after the CLI was started', () => {
    const own = { ...options, apiKey: 'key-of-the-run' };
    const environment = new RunEnvironment(own, { platform: 'linux', env: { HOST_TOKEN: 'token-of-the-host' } });
    const { redact } = environment;
    expect(redact('key-of-the-run token-of-the-host')).toBe('[redacted] [redacted]');
    expect(environment.variables.HOST_TOKEN).toBe('token-of-the-host');
    expect(redact('key-of-the-run token-of-the-host')).toBe('[redacted] [redacted]');
  });

  it('[C-10] redacts secrets that the CLI receives later, and drops the oldest above the limit', () => {
    const environment = new RunEnvironment({ ...options, apiKey: 'key-of-the-run' }, { platform: 'linux', env: {} });
    const { redact } = environment;
    expect(redact('given-later')).toBe('given-later');
    environment.learnFrom({ settings: { token: 'given-later' } });
    expect(redact('given-later key-of-the-run')).toBe('[redacted] [redacted]');
    for (let n = 0; n < 2_000; n += 1) environment.learnFrom({ token: `rotated-${n}` });
    environment.learnFrom({ token: 'rotated-1000' });
    expect(redact('rotated-0 rotated-1999 rotated-1000 key-of-the-run')).toBe(
      'rotated-0 [redacted] [redacted] [redacted]',
    );
  });

  it('[S-16] gives variables of observers the lowest precedence, and redacts the secrets in them', () => {
    const own = { ...options, apiKey: 'key-of-the-run', env: { Mine: '1', NODE_OPTIONS: '--x', GONE: undefined } };
    const environment = new RunEnvironment(own, { platform: 'win32', env: { Path: 'p', THEIRS: '2' } });
    expect(environment.variablesWith()).toBe(environment.variables);
    const watched = {
      MINE: 'w',
      path: 'w',
      ANTHROPIC_API_KEY: 'w',
      gone: 'w',
      OTEL_HEADERS: 'authorization=secret-of-w',
    };
    const variables = environment.variablesWith(watched);
    expect(variables).toMatchObject({ Mine: '1', path: 'w', THEIRS: '2', ANTHROPIC_API_KEY: 'key-of-the-run' });
    expect(variables.NODE_OPTIONS).toBe('--x');
    for (const name of ['MINE', 'Path', 'gone', 'GONE']) expect(variables).not.toHaveProperty(name);
    expect(environment.redact('secret-of-w')).toBe('[redacted]');
  });
});
