import { startFakeApi, text } from '@coxswain/testkit';
import { query, startSession, UnsupportedCliVersionError } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { MINIMUM_QUERY_VERSION, MINIMUM_SESSION_VERSION } from '../packages/sdk/src/cli/minimum.ts';
import { isolatedHome } from './harness/isolated-home.ts';
import { realCli } from './harness/real-cli.ts';
import releases from './releases.json' with { type: 'json' };

describe('the oldest supported releases', () => {
  it('[C-5] are the ones this suite runs', () => {
    expect(releases.oldest).toEqual({ query: MINIMUM_QUERY_VERSION, session: MINIMUM_SESSION_VERSION });
  });

  it('[C-5, C-4] the oldest one for queries answers one, version check included', async () => {
    await using stage = await openStage(releases.oldest.query);
    const stream = query('hello', stage.options);
    expect(await stream.text()).toBe('Hello from the past');
    expect(stream.warnings).toEqual([]);
  });

  it('[C-5, C-4] the oldest one for sessions runs two turns that know of each other', async () => {
    await using stage = await openStage(releases.oldest.session);
    const session = await startSession(stage.options);
    expect(await session.send('first').text()).toBe('Hello from the past');
    expect(await session.send('second').text()).toBe('Hello from the past');
    expect(JSON.stringify(stage.api.conversation.at(-1)?.body)).toContain('first');
    await session.stop();
  });

  it('[C-4, C-5] one that is too old for a session is refused by name, before a prompt is sent', async () => {
    await using stage = await openStage(releases.oldest.query);
    const refusal = await startSession(stage.options).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UnsupportedCliVersionError);
    expect(refusal).toMatchObject({ found: releases.oldest.query, required: MINIMUM_SESSION_VERSION });
    expect(stage.api.requests).toEqual([]);
  });
});

async function openStage(version: string) {
  const api = await startFakeApi(() => text('Hello from the past'));
  const home = await isolatedHome(api.url);
  return {
    api,
    options: { cli: realCli(version), env: home.env(), inheritEnv: false, cwd: home.project },
    async [Symbol.asyncDispose]() {
      await api.close();
      await home[Symbol.asyncDispose]();
    },
  };
}
