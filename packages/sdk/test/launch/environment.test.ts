import { describe, expect, it } from 'vitest';
import { RunEnvironment } from '../../src/launch/environment.ts';
import { hostFacts } from '../../src/launch/host-facts.ts';
import { type Launch, prepareLaunch } from '../../src/launch/launch.ts';
import { NO_PLAN, planSession } from '../../src/launch/plan.ts';

const { options } = NO_PLAN;

describe('RunEnvironment', () => {
  it('[C-9] the host is looked at when the run is made, not when its CLI is started', () => {
    const name = 'COXSWAIN_TEST_TENANT';
    try {
      process.env[name] = 'first';
      const environment = new RunEnvironment(options, hostFacts());
      process.env[name] = 'second';
      expect(environment.variables()[name]).toBe('first');
    } finally {
      delete process.env[name];
    }
  });

  it('[C-9] so it is on Windows, where the host is not copied', () => {
    const env: Record<string, string> = { TENANT: 'first' };
    const environment = new RunEnvironment(options, { platform: 'win32', uid: undefined, env });
    env.TENANT = 'second';
    expect(environment.variables().TENANT).toBe('first');
  });

  it("[C-9] and so are the caller's own variables", () => {
    const env: Record<string, string> = { TENANT: 'first' };
    const { environment } = planSession([{ env }], hostFacts({}));
    env.TENANT = 'second';
    expect(environment.variables().TENANT).toBe('first');
  });

  it('[C-9] runs share what they know of the host until it changes', () => {
    const name = 'COXSWAIN_TEST_TENANT';
    try {
      const before = hostFacts().env;
      expect(hostFacts().env).toBe(before);
      process.env[name] = 'first';
      const added = hostFacts().env;
      process.env[name] = 'second';
      const changed = hostFacts().env;
      delete process.env[name];
      expect([before[name], added[name], changed[name]]).toEqual([undefined, 'first', 'second']);
      expect(hostFacts().env).toEqual(before);
    } finally {
      delete process.env[name];
    }
  });

  it('[C-9] a variable that takes the place of another is seen', () => {
    try {
      process.env.COXSWAIN_TEST_ONE = '';
      expect(hostFacts().env).toHaveProperty('COXSWAIN_TEST_ONE', '');
      delete process.env.COXSWAIN_TEST_ONE;
      process.env.COXSWAIN_TEST_TWO = '';
      expect(hostFacts().env).not.toHaveProperty('COXSWAIN_TEST_ONE');
      expect(hostFacts().env).toHaveProperty('COXSWAIN_TEST_TWO', '');
    } finally {
      delete process.env.COXSWAIN_TEST_ONE;
      delete process.env.COXSWAIN_TEST_TWO;
    }
  });

  it('[R-2] a run inside of another has a mark of its own', async () => {
    const outer = 'the mark of the outer run';
    const plan = planSession([{ cli: process.execPath, skipVersionCheck: true }], hostFacts({ COXSWAIN_RUN: outer }));
    const launch = (): Promise<Launch> => prepareLaunch({ mode: 'session', toleratesUnknown: true }, plan, () => {});
    const [first, second] = [await launch(), await launch()];
    expect(first.request.env.COXSWAIN_RUN).toMatch(new RegExp(`^${process.pid}\\.\\w+\\.\\d+$`));
    expect(second.request.env.COXSWAIN_RUN).not.toBe(first.request.env.COXSWAIN_RUN);
    expect(plan.environment.variables().COXSWAIN_RUN).toBe(outer);
  });

  it('[C-9] is made of the host and the options', () => {
    const environment = new RunEnvironment({ ...options, env: { MINE: '1' } }, hostFacts({ THEIRS: '2' }));
    expect(environment.variables()).toMatchObject({ MINE: '1', THEIRS: '2' });
  });

  it('[C-10] knows what must not be shown, before and after the CLI was started', () => {
    const own = { ...options, apiKey: 'key-of-the-run' };
    const environment = new RunEnvironment(own, hostFacts({ HOST_TOKEN: 'token-of-the-host' }));
    const { redact } = environment;
    expect(redact('key-of-the-run token-of-the-host')).toBe('[redacted] [redacted]');
    expect(environment.variables().HOST_TOKEN).toBe('token-of-the-host');
    expect(redact('key-of-the-run token-of-the-host')).toBe('[redacted] [redacted]');
  });

  it('[C-10] learns what the CLI is given later, and forgets the oldest of very many', () => {
    const environment = new RunEnvironment({ ...options, apiKey: 'key-of-the-run' }, hostFacts({}));
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
});
