import { describe, expect, it } from 'vitest';
import { RunEnvironment } from '../../src/launch/environment.ts';
import { hostFacts } from '../../src/launch/host-facts.ts';
import { NO_PLAN, planSession } from '../../src/launch/plan.ts';
import { createRedactor } from '../../src/redact.ts';

const { options } = NO_PLAN;

describe('RunEnvironment', () => {
  it('[C-9] the host is looked at when the run is made, not when its CLI is started', () => {
    const name = 'COXSWAIN_TEST_TENANT';
    try {
      process.env[name] = 'first';
      const environment = new RunEnvironment(options, hostFacts());
      process.env[name] = 'second';
      expect(environment.variables[name]).toBe('first');
    } finally {
      delete process.env[name];
    }
  });

  it('[C-9] so it is on Windows, where the host is not copied', () => {
    const env: Record<string, string> = { TENANT: 'first' };
    const environment = new RunEnvironment(options, { platform: 'win32', uid: undefined, env });
    env.TENANT = 'second';
    expect(environment.variables.TENANT).toBe('first');
  });

  it("[C-9] and so are the caller's own variables", () => {
    const env: Record<string, string> = { TENANT: 'first' };
    const { environment } = planSession([{ env }], hostFacts({}));
    env.TENANT = 'second';
    expect(environment.variables.TENANT).toBe('first');
  });

  it('[C-9] is put together once', () => {
    const environment = new RunEnvironment({ ...options, env: { MINE: '1' } }, hostFacts({ THEIRS: '2' }));
    expect(environment.variables).toMatchObject({ MINE: '1', THEIRS: '2' });
    expect(environment.variables).toBe(environment.variables);
  });

  it('[C-10] knows what must not be shown, before and after the CLI was started', () => {
    const own = { ...options, apiKey: 'key-of-the-run' };
    const environment = new RunEnvironment(own, hostFacts({ HOST_TOKEN: 'token-of-the-host' }));
    const [before, after] = [createRedactor(environment.secrets()), createRedactor(environment.secrets())];
    expect(before('key-of-the-run token-of-the-host')).toBe('[redacted] [redacted]');
    expect(environment.variables.HOST_TOKEN).toBe('token-of-the-host');
    expect(after('key-of-the-run token-of-the-host')).toBe('[redacted] [redacted]');
    expect(after('token-of-the-host')).toBe('[redacted]');
  });
});
