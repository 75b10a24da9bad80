import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { OpenedPage } from './opened-page.ts';
import { entryOf, sampleStage, whole } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

const MESSAGES = 100_000;

/** Long transcripts and many sessions; `npm run do -- bench:inspector` prints the figures. */
export function scaleSuite(browser: () => Browser): void {
  describe('scale', () => {
    it('[I-3] few of 100,000 messages are in the page, at any scroll position', async () => {
      const stage = sampleStage(1, Date.now());
      stage.approvals = [];
      stage.total = () => MESSAGES;
      stage.entry = (_id, n) =>
        entryOf(n, n * 1_000, { kind: 'text', text: whole(`Message ${n}`), model: null, streaming: false });
      const server = new StagedServer(stage);
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      await person.see(`Message ${MESSAGES - 1}`);
      await person.page.keyboard.press('g');
      await person.page.locator('.answer', { hasText: /^Message 0$/ }).waitFor();
      await person.page.goto(`${person.page.url().split('#')[0]}#/`);
      await person.page.goto(`${person.page.url().split('#')[0]}#/c/c0/50000`);
      await person.page.locator('.answer', { hasText: /^Message 50000$/ }).waitFor();
      expect(await person.page.locator('.entry').count()).toBeLessThan(120);
      server.push({
        type: 'entry',
        conversation: 'c0',
        entry: entryOf(MESSAGES, 0, { kind: 'text', text: whole('The newest'), model: null, streaming: false }),
      });
      await person.click(/1 new ↓/);
      await person.see('The newest');
      await server.stop();
    });

    it('[I-3] 200 live sessions are shown, and their rows keep their positions while they work', async () => {
      const server = new StagedServer(sampleStage(200, Date.now()));
      await using person = await OpenedPage.open(browser(), await server.start());
      await person.page.locator('.filter', { hasText: 'All' }).getByText('200').waitFor();
      const titles = (): Promise<string[]> => person.page.locator('.row-title').allInnerTexts();
      const before = await titles();
      for (const conversation of server.stage.conversations) {
        const cost = { ...conversation.cost, usd: 7.77 };
        server.push({ type: 'conversation', conversation: { ...conversation, cost, updatedAt: Date.now() } });
      }
      await person.page.locator('.row', { hasText: '$7.77' }).nth(5).waitFor();
      expect(await titles()).toEqual(before);
      expect(before.length).toBeLessThan(60);
      await person.page.locator('.filter', { hasText: 'Failed' }).click();
      await expect
        .poll(async () => new Set(await person.page.locator('.row-line > .status:first-child').allInnerTexts()))
        .toEqual(new Set(['Limit reached']));
      await server.stop();
    });
  });
}
