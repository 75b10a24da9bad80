import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { inspect } from '../../src/index.ts';
import { OpenedPage } from './opened-page.ts';
import { commandRequest, sampleStage } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

/** How the page handles connections that break, hang silently, or lead to another server. */
export function connectionSuite(browser: () => Browser): void {
  describe('connection', () => {
    it('[I-1] the page reconnects when the connection is silent for longer than the heartbeat interval', async () => {
      const server = new StagedServer(sampleStage(3, Date.now()));
      await using person = await OpenedPage.open(browser(), 'about:blank');
      await person.page.clock.install();
      await person.page.goto(await server.start());
      await person.page.locator('.row').first().waitFor();
      const again = person.page.waitForRequest(/api\/events\?.*after=/);
      await person.page.clock.fastForward(41_000);
      await person.page.clock.fastForward(1_000);
      await again;
      await server.stop();
    });

    it('[I-1, I-4] a tab continues after the user has logged in to the restarted server in another tab', async () => {
      const first = await inspect([]);
      await using person = await OpenedPage.open(browser(), first.url);
      await person.see('No agents yet');
      const { port } = first;
      await first.close();
      await using again = await inspect([], { port });
      await person.page.getByLabel('Address or token').waitFor();
      const tab = await person.page.context().newPage();
      await tab.goto(again.url);
      await tab.getByText('No agents yet').filter({ visible: true }).waitFor();
      await person.see('No agents yet');
    });

    it('[I-5] the page adopts the options of a restarted server, and reports requests that no longer exist', async () => {
      const server = new StagedServer(sampleStage(3, Date.now()));
      server.stage.approvals = [commandRequest('a1', 'make one', 1)];
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/needs`);
      await person.cardSettled();
      await person.typeAfter('d', 'Because');
      server.stage.approvals = [];
      server.stage.readOnly = true;
      await server.restart();
      await person.see('Bash: no longer needs an answer');
      await person.page.locator('.brand', { hasText: 'read-only' }).waitFor();
      await server.stop();
    });

    it('[I-2] an action whose response was lost is reported as possibly done', async () => {
      const server = new StagedServer(sampleStage(1, Date.now()));
      server.stage.approvals = [];
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      const field = person.page.locator('.composer textarea');
      await field.fill('Row on');
      const held = server.hold('/actions');
      await field.press('Enter');
      await held.asked;
      await server.stop();
      await person.see('The action may have succeeded');
      expect(await field.inputValue()).toBe('Row on');
      held.release();
    });

    it('[I-1] a search is repeated when the server is reachable again, and for the same text', async () => {
      const server = new StagedServer(sampleStage(1, Date.now()));
      await using person = await OpenedPage.open(browser(), await server.start());
      await person.page.locator('.row').first().waitFor();
      await server.stop();
      const search = person.page.getByRole('searchbox', { name: 'Search conversations' });
      await search.fill('oar');
      await search.press('Enter');
      await person.see('The server cannot be reached');
      await server.start();
      await person.see('No results.');
      const again = person.page.waitForResponse(/api\/search/);
      // After a search, the text is in the field of the view.
      await person.page.getByRole('searchbox', { name: 'Search transcripts' }).press('Enter');
      await again;
      await server.stop();
    });

    it('[I-6] closing a menu moves the focus to its button', async () => {
      const server = new StagedServer(sampleStage(1, Date.now()));
      server.stage.approvals = [];
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      const button = person.page.getByRole('button', { name: 'More actions' });
      await button.click();
      await person.page.getByRole('button', { name: 'Copy the link' }).focus();
      await person.page.keyboard.press('Escape');
      await person.page.getByRole('button', { name: 'Copy the link' }).waitFor({ state: 'detached' });
      expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
      await server.stop();
    });
  });
}
