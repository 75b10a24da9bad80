import { apiError, type FakeApi, startFakeApi, text, toolUse } from '@coxswain/testkit';
import { query } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { isolatedHome } from '../../../../conformance/harness/isolated-home.ts';
import { realCli, testedVersions } from '../../../../conformance/harness/real-cli.ts';
import type { TurnsPage } from '../../src/api.ts';
import { inspect } from '../../src/inspect.ts';
import { Browser } from '../support/browser.ts';

type Replies = Parameters<typeof startFakeApi>[0];

describe.each(testedVersions)('conversations on disk written by Claude Code %s', (version) => {
  for (const [what, replies, options, outcome] of [
    ['completed', [[toolUse('Bash', { command: 'echo hi' })], text('Fine.')], {}, 'completed'],
    ['an API error', [apiError(400)], {}, 'failed'],
    ['the limit of turns', [[toolUse('Bash', { command: 'echo hi' })]], { maxTurns: 1 }, 'limit'],
  ] as const satisfies readonly (readonly [string, Replies, object, string])[]) {
    it(`[I-9] ${what}: the outcome is ${outcome} in the list and in the turn`, async () => {
      await using api: FakeApi = await startFakeApi(replies);
      await using home = await isolatedHome(api.url);
      const place = { cli: realCli(version), cwd: home.project, env: home.env(), configDir: home.configDir };
      await query('hello', { ...place, allowedTools: ['Bash'], ...options }).result();
      await using inspector = await inspect([], { disk: { configDir: home.configDir } });
      const browser = await new Browser(inspector).login();
      const [only] = await browser.conversations();
      expect(only).toMatchObject({ kind: 'disk', outcome });
      await browser.get(`api/conversations/${only?.id}/entries`);
      const { turns } = await browser.get<TurnsPage>(`api/conversations/${only?.id}/turns`);
      expect(turns).toMatchObject([{ outcome, endedAt: expect.any(Number) }]);
    });
  }

  it('[I-9] a turn that reached the limit of turns still shows it after the conversation continued', async () => {
    await using api: FakeApi = await startFakeApi([[toolUse('Bash', { command: 'echo hi' })], text('Fine.')]);
    await using home = await isolatedHome(api.url);
    const place = { cli: realCli(version), cwd: home.project, env: home.env(), configDir: home.configDir };
    const first = query('hello', { ...place, allowedTools: ['Bash'], maxTurns: 1 });
    await first.result();
    if (first.sessionId === undefined) throw new Error('The run has a session id.');
    await query('again', { ...place, resume: first.sessionId }).result();
    await using inspector = await inspect([], { disk: { configDir: home.configDir } });
    const browser = await new Browser(inspector).login();
    const [only] = await browser.conversations();
    await browser.get(`api/conversations/${only?.id}/entries`);
    const { turns } = await browser.get<TurnsPage>(`api/conversations/${only?.id}/turns`);
    expect(turns.map(({ outcome }) => outcome)).toEqual(['limit', 'completed']);
  });
});
