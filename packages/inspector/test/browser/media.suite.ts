import { readFile } from 'node:fs/promises';
import { script } from '@coxswain/testkit';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { OpenedPage } from './opened-page.ts';
import { scene } from './scene.ts';
import { entryOf, sampleStage, toolCall } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

const LIST = 'شاهد:\n\n- البند الأول\n- البند الثاني';

/** Paper, files, colours and directions. */
export function mediaSuite(browser: () => Browser): void {
  describe('media', () => {
    it('[I-21] a conversation is exported as HTML that shows everything as text and runs nothing', async () => {
      const agent = script().otherwise((turn) =>
        turn
          .say('See <script>alert(1)</script> and <img src=x onerror=alert(2)>.')
          .useTool('Edit', { file_path: '/srv/a.ts', old_string: 'old', new_string: 'new' }, { permission: 'allow' })
          .say('Done.'),
      );
      await using stage = await scene(agent, { title: 'A <b>title</b>' });
      await stage.session.send('fix "it"').result();
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.page.locator('.row').first().click();
      await person.click('More actions');
      const downloading = person.page.waitForEvent('download');
      await person.page.getByRole('link', { name: 'Export as HTML' }).click();
      const file = await downloading;
      expect(file.suggestedFilename()).toMatch(/\.html$/);
      const html = await readFile(await file.path(), 'utf8');
      expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
      await using reader = await OpenedPage.open(browser(), 'about:blank');
      await reader.page.setContent(html);
      expect(await reader.page.locator('h1').innerText()).toBe('A <b>title</b>');
      expect(await reader.page.locator('script, img').count()).toBe(0);
      expect(await reader.page.locator('del').allInnerTexts()).toEqual(['-old']);
      expect(await reader.page.locator('.prompt').innerText()).toBe('fix "it"');
    });

    it('[I-21] an exported page has every line of a long change', async () => {
      const content = Array.from({ length: 900 }, (_, at) => `line ${at}${at === 899 ? ' '.repeat(3_000) : ''}.`);
      const agent = script().otherwise((turn) =>
        turn
          .useTool('Write', { file_path: '/srv/a.ts', content: content.join('\n') }, { permission: 'allow' })
          .say('Done.'),
      );
      await using stage = await scene(agent);
      await stage.session.send('write it').result();
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.choose('write it');
      await person.click('More actions');
      const downloading = person.page.waitForEvent('download');
      await person.page.getByRole('link', { name: 'Export as HTML' }).click();
      const html = await readFile(await (await downloading).path(), 'utf8');
      await using reader = await OpenedPage.open(browser(), 'about:blank');
      await reader.page.setContent(html);
      expect(await reader.page.locator('ins').allTextContents()).toEqual(content.map((line) => `+${line}`));
    });

    it('[I-21] printing shows the whole conversation, unfolded, without the rest of the page', async () => {
      const server = new StagedServer({ ...sampleStage(3, Date.now()), approvals: [] });
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c1`, {
        reducedMotion: 'reduce',
      });
      await person.page.locator('.entry').first().waitFor();
      await person.click('More actions');
      await person.page.getByRole('link', { name: 'Print' }).click();
      await person.page.getByRole('button', { name: 'Print' }).waitFor();
      await expect.poll(() => person.page.locator('.print .entry').count()).toBe(server.stage.total('c1'));
      await person.expectAccessible();
      await person.page.emulateMedia({ media: 'print' });
      expect(await person.page.locator('.column-side').isVisible()).toBe(false);
      expect(await person.page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
      const { scroll, shown } = await person.page.evaluate(() => {
        const view = document.querySelector('.print');
        return { scroll: view?.scrollHeight ?? 0, shown: view?.clientHeight ?? 1 };
      });
      expect(shown).toBeGreaterThanOrEqual(scroll);
      await server.stop();
    });

    it('[I-21] paper has long outputs whole, wrapped, without estimated heights, and in dark letters', async () => {
      const stage = { ...sampleStage(3, Date.now()), approvals: [] };
      const lines = Array.from({ length: 60 }, (_, at) => `line ${at} ${'of a long output '.repeat(12)}`);
      const beginning = lines.slice(0, 30).join('\n');
      const result = { text: beginning, length: lines.join('\n').length, more: 'api/conversations/c1/parts/whole' };
      const long = toolCall({ name: 'Bash', argument: 'ls -R', result });
      stage.total = () => 1;
      stage.entry = (_id, n) => entryOf(n, 0, long);
      stage.parts.set('whole', lines.join('\n'));
      const server = new StagedServer(stage);
      const dark = { colorScheme: 'dark', reducedMotion: 'reduce', viewport: { width: 390, height: 844 } } as const;
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/print/c1`, dark);
      await person.see('line 59');
      expect(await person.page.getByRole('button', { name: /Show all/ }).count()).toBe(0);
      await person.expectAccessible();
      await person.page.emulateMedia({ media: 'print' });
      const { scheme, hidden, wide, estimated } = await person.page.evaluate(() => {
        const chunks = [...document.querySelectorAll('.print .chunk')];
        const view = document.querySelector('.print');
        return {
          scheme: getComputedStyle(document.documentElement).colorScheme,
          estimated: chunks.some((chunk) => getComputedStyle(chunk).contentVisibility !== 'visible'),
          hidden: [...document.querySelectorAll('.print .code-lines')].some(
            (box) => box.scrollHeight > box.clientHeight,
          ),
          wide: (view?.scrollWidth ?? 0) > (view?.clientWidth ?? 0),
        };
      });
      expect({ scheme, hidden, wide, estimated }).toEqual({
        scheme: 'light',
        hidden: false,
        wide: false,
        estimated: false,
      });
      await server.stop();
    });

    it('[I-21, I-6] in forced colours, what is marked, chosen and drawn stays visible', async () => {
      const server = new StagedServer(sampleStage(3, Date.now()));
      const forced = { forcedColors: 'active', reducedMotion: 'reduce' } as const;
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`, forced);
      await person.cardSettled();
      const outline = (selector: string): Promise<string> =>
        person.page
          .locator(selector)
          .first()
          .evaluate((element) => getComputedStyle(element).outlineStyle);
      expect(await outline('.card')).toBe('solid');
      expect(await outline('.row[aria-current="page"]')).toBe('solid');
      await person.page.getByRole('tab', { name: 'Timeline' }).click();
      const bar = person.page.locator('.span-bar').first();
      await bar.waitFor();
      expect(await bar.evaluate((element) => getComputedStyle(element).borderStyle)).toBe('solid');
      await person.expectAccessible();
      await server.stop();
    });

    it('[I-21] a list in a right-to-left script has its marks on the right', async () => {
      await using stage = await scene(script().otherwise((turn) => turn.say(LIST)));
      await stage.session.send('مرحبا').result();
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.choose('مرحبا');
      const list = person.page.locator('.answer ul');
      await list.waitFor();
      expect(await list.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
      expect(
        await list.evaluate((element) => Number.parseFloat(getComputedStyle(element).paddingRight)),
      ).toBeGreaterThan(8);
      await person.expectAccessible();
    });
  });
}
