import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../src/api.ts';
import { OpenedPage } from './opened-page.ts';
import { sampleStage } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

const COUNT = 400;

/** A list with more conversations than a page of the server, while conversations change. */
export function longListSuite(browser: () => Browser): void {
  describe('long list', () => {
    it('[I-1] the list has all conversations of a filter after a restart of the server', async () => {
      const server = new StagedServer(sampleStage(COUNT, Date.now()));
      await using person = await OpenedPage.open(browser(), await server.start());
      const done = server.stage.conversations.filter(({ state }) => state === 'done').length;
      await person.page.locator('.filter', { hasText: 'Done' }).click();
      await expect.poll(() => rows(person)).toBe(done);
      await server.restart();
      await person.see(/Connection lost/);
      await person.seeNot(/Connection lost/);
      // The page may be fetching the rest of its list at the moment.
      server.stage.conversations = server.stage.conversations.filter(({ id }) => id !== 'c4');
      server.push({ type: 'conversation-removed', conversation: 'c4' });
      await expect.poll(() => rows(person)).toBe(done - 1);
      await server.stop();
    });

    it('[I-1] the list is complete after a search has found some of the last conversations', async () => {
      const server = new StagedServer(sampleStage(COUNT, Date.now()));
      await using person = await OpenedPage.open(browser(), await server.start());
      const search = person.page.getByRole('searchbox');
      await search.fill('(21');
      await expect.poll(() => rows(person)).toBe(11);
      await search.fill('');
      await loadAll(person, COUNT);
      await server.stop();
    });

    it('[I-1] each conversation is counted once when events concern some that are not loaded', async () => {
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

    it('[I-1] the newer state of a conversation stays when an older page arrives late', async () => {
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

    for (const filter of ['All', 'Done']) {
      it(`[I-6] the list keeps its scroll position when the server is restarted: ${filter}`, async () => {
        const count = 1_800;
        const server = new StagedServer(sampleStage(count, Date.now()));
        server.stage.approvals = [];
        await using person = await OpenedPage.open(browser(), await server.start());
        await person.page.locator('.filter', { hasText: filter }).click();
        const list = person.page.locator('.rows');
        const total = filter === 'All' ? count : server.stage.conversations.filter(isDone).length;
        await loadAll(person, total);
        await list.evaluate((element) => element.scrollTo(0, 450 * 56));
        await expect.poll(() => middleRow(person)).not.toBe('');
        const title = await middleRow(person);
        await list.evaluate((element) => {
          element.addEventListener('scroll', () => element.setAttribute('data-scrolled', String(element.scrollTop)));
        });
        // Removed conversations disappear, however far down they are; new ones are shown.
        const gone = server.stage.conversations.findLastIndex(isDone);
        server.stage.conversations.splice(gone, 1);
        const changed = server.stage.conversations.find((each) => each.title === title);
        if (changed === undefined) throw new Error(`The stage has no ${title}.`);
        Object.assign(changed, { title: 'Still in the middle' });
        await server.restart();
        await expect.poll(() => middleRow(person)).toBe('Still in the middle');
        await expect.poll(() => rows(person)).toBe(total - 1);
        expect(await list.evaluate((element) => [element.scrollTop, element.getAttribute('data-scrolled')])).toEqual([
          450 * 56,
          null,
        ]);
        await server.stop();
      });
    }

    it('[I-1] if the rest of the list cannot be fetched, only what the restarted server sent is shown', async () => {
      const server = new StagedServer(sampleStage(COUNT, Date.now()));
      await using person = await OpenedPage.open(browser(), await server.start());
      await loadAll(person, COUNT);
      await person.page.route(/api\/conversations\?.*offset=200/, (route) => route.abort());
      await server.restart();
      await person.see('The server cannot be reached');
      await expect.poll(() => rows(person)).toBe(200);
      await person.page.locator('.rows').evaluate((element) => element.scrollTo(0, 0));
      await person.page.unroute(/api\/conversations\?.*offset=200/);
      await loadAll(person, COUNT);
      await server.stop();
    });

    it('[I-6] j scrolls the row of the next conversation into view', async () => {
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

function isDone({ state }: Conversation): boolean {
  return state === 'done';
}

/** Scrolls to the end until the list has this number of rows. */
async function loadAll(person: OpenedPage, count: number): Promise<void> {
  const list = person.page.locator('.rows');
  await expect
    .poll(async () => {
      await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return rows(person);
    })
    .toBe(count);
}

/** The title of the row in the middle of the visible list. */
async function middleRow(person: OpenedPage): Promise<string> {
  return person.page.locator('.rows').evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const found = document.elementFromPoint(left + width / 2, top + height / 2)?.closest('.row');
    return found?.querySelector<HTMLElement>('.row-title')?.innerText ?? '';
  });
}

/** Number of rows in the list, rendered or not. */
async function rows(person: OpenedPage): Promise<number> {
  return Number(await person.page.locator('.rows > ul').getAttribute('data-rows'));
}
