import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AGENT_ENVIRONMENT, agentEnvironment } from '../../src/worker/agent-environment.ts';

const URL_OF_FLEET = 'postgres://app:s3cr%40t-pw@db.internal:5432/fleet';

/** The names that an agent with `inheritEnv: true` would not inherit. */
function removed(own: NodeJS.ProcessEnv, url = URL_OF_FLEET): string[] {
  const { env = {} } = agentEnvironment({ inheritEnv: true }, url, own);
  return Object.keys(env).filter((name) => env[name] === undefined);
}

describe('the environment of an agent', () => {
  it('[F-15] lacks the database of the fleet under every name, even if it inherits everything', () => {
    const own = {
      PATH: '/usr/bin',
      COXSWAIN_DATABASE_URL: URL_OF_FLEET,
      DATABASE_URL: URL_OF_FLEET,
      JDBC: `jdbc:${URL_OF_FLEET}?ssl=true`,
      DB_PASSWORD: 's3cr@t-pw',
      ENCODED: 'x-s3cr%40t-pw-x',
      PGHOST: 'db.internal',
      PGPASSFILE: '/run/secrets/pgpass',
      WHERE: 'see /run/secrets/pgpass',
      OTHER: join(homedir(), '.pgpass'),
      UNRELATED: 'postgres',
    };
    expect(removed(own).sort()).toEqual(
      Object.keys(own)
        .filter((name) => !['PATH', 'UNRELATED'].includes(name))
        .sort(),
    );
  });

  it('[F-15] keeps values that contain a short password by chance', () => {
    const own = { A: 'abc', B: 'a', C: 'mysql://x:a@y/z' };
    expect(removed(own, 'postgres://app:a@db/fleet')).toEqual(['B', 'C']);
    expect(removed({ A: '' }, 'postgres://app@db/fleet')).toEqual([]);
    expect(removed({ A: '/var/run/postgresql' }, '/var/run/postgresql')).toEqual(['A']);
  });

  it('[F-15] is an allowlist by default, which the agent can override', () => {
    expect(agentEnvironment({}, URL_OF_FLEET, {}).inheritEnv).toBe(AGENT_ENVIRONMENT);
    expect(AGENT_ENVIRONMENT).not.toContain('*');
    expect(agentEnvironment({ inheritEnv: ['AWS_*'] }, URL_OF_FLEET, {}).inheritEnv).toEqual(['AWS_*']);
    expect(agentEnvironment({ env: { A: 'b' } }, URL_OF_FLEET, { A: URL_OF_FLEET }).env).toEqual({ A: 'b' });
  });

  it('[F-15, F-16] is refused if the agent passes the database on', () => {
    expect(() => agentEnvironment({ env: { DATABASE_URL: URL_OF_FLEET } }, URL_OF_FLEET, {})).toThrow(
      /env\.DATABASE_URL contains its URL or password/,
    );
  });
});
