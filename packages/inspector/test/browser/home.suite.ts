import { script } from '@coxswain/testkit';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { usd } from '../../src/page/text/format.ts';
import { OpenedPage } from './opened-page.ts';
import { scene, send } from './scene.ts';
import { sampleStage } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

/** The first page: what is going on, also when nothing is. */
export function homeSuite(browser: () => Browser): void {
  describe('home', () => {
    it('[I-12] shows what waits, what runs with its last line, what failed today, and what was spent', async () => {
      const server = new StagedServer(sampleStage(8, Date.now()));
      const stamp = (id: string): void => {
        server.stage.conversations = server.stage.conversations.map((each) =>
          each.id === id ? { ...each, updatedAt: Date.now() } : each,
        );
      };
      stamp('c6');
      await using person = await OpenedPage.open(browser(), await server.start());
      const section = (title: string) =>
        person.page
          .locator('.home section')
          .filter({ has: person.page.getByRole('heading', { name: title, exact: true }) });
      await section('Needs you').locator('.card').nth(2).waitFor();
      const running = section('Running').locator('.home-row');
      await running.filter({ hasText: 'Review pull request 482' }).getByText('Bash npm test').waitFor();
      expect(await running.count()).toBe(1);
      await section('Failed today').getByText('max-turns').waitFor();
      const { days, total } = server.stage.stats;
      const figure = (name: string) => person.page.locator('.home-figures > div', { hasText: name });
      await figure('spent today')
        .getByText(usd(days.at(-1)?.usd ?? 0), { exact: true })
        .waitFor();
      await figure('spent in 7 days').getByText(usd(total.usd), { exact: true }).waitFor();
      expect(await figure('need you').locator('dd').innerText()).toBe('3');
      await person.expectAccessible();
      await server.stop();
    });

    it('[I-12] the last line follows a running turn', async () => {
      const agent = script().otherwise((turn) =>
        turn
          .say('First I look around.\n\nThen I wait for the tide.')
          .useTool('Bash', { command: 'sleep 60' }, { durationMs: 60_000, permission: 'allow' }),
      );
      await using stage = await scene(agent);
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'watch the tide');
      await person.page.locator('.home-row', { hasText: 'watch the tide' }).getByText('Bash sleep 60').waitFor();
    });

    it('[I-12] without requests, running turns and failures, the page shows a note', async () => {
      const server = new StagedServer({ ...sampleStage(8, Date.now()), approvals: [] });
      server.stage.conversations = server.stage.conversations.filter(({ state }) => state === 'done');
      await using person = await OpenedPage.open(browser(), await server.start());
      for (const text of ['Nothing waits for you.', 'Nothing runs.', 'Nothing has failed today.'])
        await person.see(text);
      expect(await person.page.locator('.home-row').count()).toBeGreaterThan(0);
      await server.stop();
    });

    it('[I-12] a phone has the counts above the list, with a link to the same page', async () => {
      const server = new StagedServer({ ...sampleStage(8, Date.now()), approvals: [] });
      const phone = { viewport: { width: 390, height: 844 } };
      await using person = await OpenedPage.open(browser(), await server.start(), phone);
      await person.page.locator('.home-link', { hasText: '1 need you · 1 running' }).click();
      await person.page.locator('.home-figures').waitFor();
      await person.expectAccessible();
      await server.stop();
    });
  });
}
