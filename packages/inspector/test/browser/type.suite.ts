import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { OpenedPage } from './opened-page.ts';
import { sampleStage } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

/** The fonts of the page. */
export function typeSuite(browser: () => Browser): void {
  describe('type', () => {
    it('[I-22] text and code have the fonts of the page, and figures have equal widths', async () => {
      const server = new StagedServer(sampleStage(3, Date.now()));
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      await person.page.locator('.entry').first().waitFor();
      await expect.poll(() => person.page.evaluate(loadedFonts)).toEqual(['Inter', 'JetBrains Mono']);
      const widths = await person.page.evaluate(() =>
        ['1', '8'].map((digit) => {
          const figure = document.createElement('span');
          figure.className = 'numbers';
          figure.textContent = digit.repeat(20);
          document.body.append(figure);
          return figure.getBoundingClientRect().width;
        }),
      );
      expect(widths[0]).toBe(widths[1]);
      await server.stop();
    });

    it('[I-22] other letters are loaded only for a page that has them', async () => {
      const server = new StagedServer(sampleStage(1, Date.now()));
      await using person = await OpenedPage.open(browser(), await server.start());
      const requested: string[] = [];
      person.page.on('request', (request) => requested.push(request.url()));
      await person.page.reload();
      await person.page.locator('.row').first().waitFor();
      await expect.poll(() => person.page.evaluate(loadedFonts)).toContain('Inter');
      expect(requested.filter((url) => url.includes('-more'))).toEqual([]);
      await person.page.evaluate(() => document.body.append('Łódź'));
      await expect.poll(() => requested.filter((url) => url.includes('inter-more')).length).toBe(1);
      await server.stop();
    });

    it('[I-22] text is shown before its font has arrived', async () => {
      const server = new StagedServer(sampleStage(1, Date.now()));
      const url = await server.start();
      await using person = await OpenedPage.open(browser(), 'about:blank');
      let release = (): void => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await person.page.route('**/*.woff2', async (route) => {
        await held;
        await route.continue();
      });
      await person.page.goto(url, { waitUntil: 'commit' });
      await person.page.locator('.row').first().waitFor();
      const shown = await person.page.evaluate(() =>
        [...document.fonts]
          .filter(({ family }) => family.includes('Inter'))
          .map(({ display, status }) => [display, status]),
      );
      expect(shown).toContainEqual(['swap', 'loading']);
      release();
      await expect.poll(() => person.page.evaluate(loadedFonts)).toContain('Inter');
      await server.stop();
    });
  });
}

/** In the page: the families of which a part has been loaded. */
function loadedFonts(): readonly string[] {
  const loaded = [...document.fonts].filter(({ status }) => status === 'loaded');
  return [...new Set(loaded.map(({ family }) => family.replaceAll('"', '')))].sort();
}
