import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { OpenedPage } from './opened-page.ts';
import { sampleStage } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

const VIEWS = ['#/', '#/c/c0', '#/needs', '#/costs', '#/search?q=rate'] as const;
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true } as const;

/** Keyboard, screen readers, phones, dark and light, reduced motion. */
export function accessSuite(browser: () => Browser): void {
  describe('access', () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      // Axe runs twelve times in it.
      it(`[I-6] violates no axe rule in any view, ${colorScheme}`, { timeout: 180_000 }, async () => {
        const server = new StagedServer(sampleStage(8, Date.now()));
        const url = await server.start();
        await using person = await OpenedPage.open(browser(), url, { colorScheme, reducedMotion: 'reduce' });
        // The dark theme differs only in its colours.
        const rules = colorScheme === 'dark' ? ['color-contrast'] : [];
        for (const view of colorScheme === 'dark' ? VIEWS.slice(1, 4) : VIEWS) {
          await person.page.goto(`${url}${view}`);
          await person.page.locator('.head').waitFor();
          if (view === '#/c/c0') {
            await person.page.locator('.tool-line', { hasText: 'Edit' }).click();
            await person.page.locator('.tool-open .diff').waitFor();
          }
          await person.expectAccessible(rules);
        }
        await person.page.goto(`${url}#/c/c0`);
        for (const tab of ['Timeline', 'Agents', 'Cost']) {
          await person.page.getByRole('tab', { name: tab }).click();
          await person.expectAccessible(rules);
        }
        await server.stop();
      });
    }

    it('[I-6] on a phone, list, conversation and card are separate pages, and nothing is wider than the screen', async () => {
      const server = new StagedServer(sampleStage(8, Date.now()));
      const url = await server.start();
      await using person = await OpenedPage.open(browser(), url, PHONE);
      const width = (): Promise<number> => person.page.evaluate(() => document.documentElement.scrollWidth);
      await person.page.locator('.row').first().waitFor();
      expect(await person.page.locator('.column-main').isVisible()).toBe(false);
      await person.page.locator('.row').first().tap();
      const allow = person.page.getByRole('button', { name: 'Allow once' });
      await allow.waitFor();
      const box = await allow.boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(44);
      expect(box?.y).toBeGreaterThan(844 / 2);
      expect(await width()).toBe(390);
      await person.expectAccessible();
      await person.click('Look at the conversation first');
      await person.see(/github · create_pull_request/);
      expect(await width()).toBe(390);
      await person.page.getByRole('link', { name: 'Back to the list' }).click();
      await person.page.locator('.row').first().waitFor();
      await person.expectAccessible();
      await server.stop();
    });

    it('[I-6] the focus stays when rows and cards change', async () => {
      const server = new StagedServer(sampleStage(8, Date.now()));
      server.stage.approvals = [];
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      const line = person.page.locator('.tool-line', { hasText: 'Read' });
      await line.focus();
      for (const conversation of server.stage.conversations) {
        server.push({
          type: 'conversation',
          conversation: { ...conversation, title: `${conversation.title}!`, updatedAt: Date.now() },
        });
      }
      const entry = server.stage.entry('c0', 4);
      server.push({ type: 'entry', conversation: 'c0', entry: { ...entry, n: server.stage.total('c0') } });
      await person.page.locator('.head h2', { hasText: 'module!' }).waitFor();
      expect(await line.evaluate((element) => element === document.activeElement)).toBe(true);
      await server.stop();
    });

    it('[I-1, I-6] the transcript and the focus stay while the transcript is fetched again', async () => {
      const server = new StagedServer(sampleStage(8, Date.now()));
      server.stage.approvals = [];
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      const line = person.page.locator('.tool-line', { hasText: 'Read' });
      await line.focus();
      const entry = server.stage.entry('c0', 3);
      server.push(server.snapshot());
      server.push({ type: 'entry', conversation: 'c0', entry: { ...entry, n: server.stage.total('c0') } });
      await person.page.getByRole('log').getByText('I will run the tests first.').waitFor({ state: 'attached' });
      expect(await line.evaluate((element) => element === document.activeElement)).toBe(true);
      await server.stop();
    });

    it('[I-1] a transcript that is rewritten and shorter shows no surplus entries', async () => {
      const server = new StagedServer(sampleStage(8, Date.now()));
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      const rows = person.page.locator('.virtual-row');
      await person.page.locator('.tool-line', { hasText: 'Read' }).waitFor();
      server.stage.total = () => 4;
      server.push({ type: 'rewritten', conversation: 'c0' });
      await rows.nth(4).waitFor({ state: 'detached' });
      expect(await rows.count()).toBe(4);
      expect(await person.page.locator('.entry-missing').count()).toBe(0);
      await server.stop();
    });

    it('[I-6] the focus stays on an entry that others push out of view, above and below', async () => {
      const server = new StagedServer(sampleStage(8, Date.now()));
      server.stage.approvals = [];
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      let n = server.stage.total('c0');
      const add = (count: number, like: number): void => {
        for (const until = n + count; n < until; n++) {
          server.push({ type: 'entry', conversation: 'c0', entry: { ...server.stage.entry('c0', like), n } });
        }
      };
      const [text, tool] = [3, 5];
      await person.page.locator('.tool-line', { hasText: 'Read' }).waitFor();
      add(100, text);
      add(1, tool);
      await person.page.locator(`[data-row="${n - 1}"] .tool-line`).focus();
      const row = person.page.locator('.virtual-row', { has: person.page.locator('.tool-line:focus') });
      const place = (where: string) => row.and(person.page.locator(`[data-place="${where}"]`)).waitFor();
      const scroller = person.page.getByRole('group', { name: 'Transcript' });
      await scroller.evaluate((element) => element.scrollTo(0, 0));
      await place('below');
      await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await place('shown');
      add(100, text);
      await place('above');
      await server.stop();
    });

    it('[I-6] updates are announced politely, and nothing moves with reduced motion', async () => {
      const server = new StagedServer(sampleStage(8, Date.now()));
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`, {
        reducedMotion: 'reduce',
      });
      await person.page.locator('.row').first().waitFor();
      const entry = server.stage.entry('c0', 3);
      server.push({ type: 'entry', conversation: 'c0', entry: { ...entry, n: server.stage.total('c0') } });
      const log = person.page.getByRole('log');
      await log.getByText('I will run the tests first.').waitFor({ state: 'attached' });
      expect(await log.getAttribute('aria-live')).toBe('polite');
      const animations = await person.page.evaluate(
        () => document.getAnimations().filter((each) => each.playState === 'running').length,
      );
      expect(animations).toBe(0);
      await server.stop();
    });

    it('[I-6] the page can be used by keyboard alone, and lists its keys', async () => {
      const server = new StagedServer(sampleStage(8, Date.now()));
      await using person = await OpenedPage.open(browser(), await server.start());
      await person.page.locator('.row').first().waitFor();
      await person.page.keyboard.press('j');
      await person.page.locator('.head h2', { hasText: 'Fix the flaky test' }).waitFor();
      await person.page.keyboard.press('j');
      await person.page.locator('.head h2', { hasText: 'Review pull request' }).waitFor();
      await person.page.keyboard.press('n');
      await person.page.locator('.head h2', { hasText: 'Needs you' }).waitFor();
      await person.page.keyboard.press('ArrowDown');
      await person.page.locator('.card[data-marked="true"]', { hasText: 'question' }).waitFor();
      await person.page.keyboard.press('?');
      await person.page.getByRole('dialog').getByText('interrupt the running turn').waitFor();
      await person.expectAccessible();
      await person.page.keyboard.press('Escape');
      await server.stop();
    });

    it('[I-6] the chosen theme is stored', async () => {
      const server = new StagedServer(sampleStage(3, Date.now()));
      await using person = await OpenedPage.open(browser(), await server.start(), { colorScheme: 'light' });
      const background = (): Promise<string> =>
        person.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      await person.page.locator('.row').first().waitFor();
      expect(await background()).toBe('rgb(255, 255, 255)');
      await person.click('Use the dark theme');
      await expect.poll(background).toBe('rgb(20, 19, 18)');
      await person.page.reload();
      await person.page.locator('.row').first().waitFor();
      expect(await background()).toBe('rgb(20, 19, 18)');
      await server.stop();
    });
  });
}
