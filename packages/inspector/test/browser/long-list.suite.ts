import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { OpenedPage } from './opened-page.ts';
import { sampleStage } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

const COUNT = 400;
const ROW_HEIGHT = 56;

/** A list of more conversations than a page of the server has, while things happen. */
export function longListSuite(browser: () => Browser): void {
  describe('long list', () => {
    it('[I-1] has all conversations of a filter after the server was restarted', async () => {
      const server = new StagedServer(sampleStage(COUNT, Date.now()));
      await using person = await OpenedPage.open(browser(), await server.start());
      const done = server.stage.conversations.filter(({ state }) => state === 'done').length;
      await person.page.locator('.filter', { hasText: 'Done' }).click();
      await expect.poll(() => rows(person)).toBe(done);
      await server.restart();
      await person.see(/Connection lost/);
      await person.seeNot(/Connection lost/);
      server.push({ type: 'conversation-removed', conversation: 'c4' });
      await expect.poll(() => rows(person)).toBe(done - 1);
      await server.stop();
    });

    it('[I-1] leaves no conversation out after a search has found some of the last ones', async () => {
      const server = new StagedServer(sampleStage(COUNT, Date.now()));
      await using person = await OpenedPage.open(browser(), await server.start());
      const search = person.page.getByRole('searchbox');
      await search.fill('(21');
      await expect.poll(() => rows(person)).toBe(11);
      await search.fill('');
      const list = person.page.locator('.rows');
      await expect
        .poll(async () => {
          await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
          return rows(person);
        })
        .toBe(COUNT);
      await server.stop();
    });

    it('[I-1] counts each conversation once when events name some that the list does not have', async () => {
      const count = 600;
      const server = new StagedServer(sampleStage(count, Date.now()));
      await using person = await OpenedPage.open(browser(), await server.start());
      const all = person.page.locator('.filter', { hasText: 'All' });
      await all.getByText(String(count)).waitFor();
      const unseen = server.stage.conversations[count - 2];
      if (unseen === undefined) throw new Error('The stage has conversations.');
      server.push({
        type: 'conversation',
        conversation: { ...unseen, title: 'Taken', state: 'needs-me', updatedAt: Date.now() + 1_000 },
      });
      await person.page.getByText('Taken').waitFor();
      expect(await all.innerText()).toContain(String(count));
      server.stage.conversations.pop();
      server.push({ type: 'conversation-removed', conversation: `c${count - 1}` });
      await all.getByText(String(count - 1)).waitFor();
      await server.stop();
    });

    it('[I-1] keeps the newer state of a conversation when an older page arrives late', async () => {
      const server = new StagedServer(sampleStage(COUNT, Date.now()));
      await using person = await OpenedPage.open(browser(), await server.start());
      const row = person.page.locator('.row', { hasText: 'Review pull request 482' }).first();
      await row.getByText('Running').waitFor();
      const held = server.hold('q=Review');
      await person.page.getByRole('searchbox').fill('Review');
      await held.asked;
      const [, second] = server.stage.conversations;
      if (second) server.push({ type: 'conversation', conversation: { ...second, state: 'failed' } });
      await row.getByText('Failed').waitFor();
      held.release();
      await expect.poll(() => rows(person)).toBe(COUNT / 8);
      await row.getByText('Failed').waitFor();
      await server.stop();
    });

    it('[I-6] shows the row of the conversation that j goes to', async () => {
      const server = new StagedServer(sampleStage(60, Date.now()));
      server.stage.approvals = [];
      await using person = await OpenedPage.open(browser(), await server.start());
      await person.page.locator('.row').first().waitFor();
      for (let at = 0; at < 25; at++) await person.page.keyboard.press('j');
      const current = person.page.locator('.row[aria-current="page"]');
      await current.waitFor();
      await expect
        .poll(() => current.evaluate((row) => row.getBoundingClientRect().bottom <= window.innerHeight))
        .toBe(true);
      await server.stop();
    });
  });
}

/** How many rows the list has, on the page or not. */
async function rows(person: OpenedPage): Promise<number> {
  return (await person.page.locator('.rows > ul').evaluate((list) => list.clientHeight)) / ROW_HEIGHT;
}
