import { script } from '@coxswain/testkit';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { OpenedPage } from './opened-page.ts';
import { scene, send } from './scene.ts';
import { sampleStage } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

/** A turn over time. */
export function waterfallSuite(browser: () => Browser): void {
  describe('waterfall', () => {
    it('[I-14] a turn has an axis, a row for each span with its argument, tokens and cost, and waiting apart from work', async () => {
      const server = new StagedServer({ ...sampleStage(3, Date.now()), approvals: [] });
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      await person.page.getByRole('tab', { name: 'Timeline' }).click();
      await person.page.getByRole('link', { name: 'Waterfall' }).click();
      const row = (text: string) => person.page.locator('.fall-row', { hasText: text });
      await row('npm test').getByText('12 s', { exact: true }).waitFor();
      const edit = person.page.locator('.fall-row.fall-tool', { hasText: 'Edit' });
      expect(await edit.locator('td').nth(2).innerText()).toMatch(/^1 s\s+\+ 12 s waiting$/);
      expect(await row('Find all callers').locator('td').nth(1).innerText()).toBe('$0.0010');
      expect(
        await row('Grep')
          .locator('th')
          .evaluate((cell) => cell.style.getPropertyValue('--depth')),
      ).toBe('1');
      await person.see('model 8 s · tools 18 s · hooks 1 s · waiting for people 12 s');
      expect(await person.page.locator('.fall-tick').allInnerTexts()).toEqual([
        '0 s',
        '10 s',
        '20 s',
        '30 s',
        '40 s',
        '50 s',
        '1 min',
      ]);
      await person.expectAccessible();
      // Beside the list, the table would not fit: bars must be in view without scrolling at every width.
      for (const width of [768, 390, 320]) {
        await person.page.setViewportSize({ width, height: 844 });
        const bar = await person.page.locator('.span-permission').boundingBox();
        expect((bar?.x ?? width) + (bar?.width ?? 0)).toBeLessThanOrEqual(width);
        expect((await row('opus-4-6').first().boundingBox())?.height).toBeLessThan(80);
      }
      await person.page.setViewportSize({ width: 390, height: 844 });
      expect(await person.page.evaluate(() => document.querySelector('.fall')?.scrollWidth)).toBeLessThanOrEqual(390);
      await person.expectAccessible();
      await server.stop();
    });

    it('[I-14] a span, a key, a button and the wheel zoom, and 0 shows the whole turn', async () => {
      const server = new StagedServer({ ...sampleStage(3, Date.now()), approvals: [] });
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/turn/c0/t1`);
      const ticks = async (): Promise<string> => (await person.page.locator('.fall-tick').allInnerTexts()).join(' ');
      await person.page.locator('.fall-row').first().waitFor();
      const whole = await ticks();
      await person.page.getByRole('button', { name: /Zoom to Edit/ }).click();
      await expect.poll(ticks).toMatch(/^40 s 45 s/);
      await person.page.keyboard.press('ArrowLeft');
      await expect.poll(ticks).toMatch(/^35 s/);
      await person.page.keyboard.press('0');
      await expect.poll(ticks).toBe(whole);
      await person.click('Zoom in');
      await expect.poll(ticks).toBe('15 s 20 s 25 s 30 s 35 s 40 s 45 s');
      await server.stop();
    });

    it('[I-14] a running turn grows, with the call of the model, its thinking and its tool', async () => {
      const agent = script().otherwise((turn) =>
        turn
          .think('Hm.')
          .say('I look.')
          .useTool('Bash', { command: 'sleep 60' }, { durationMs: 60_000, permission: 'allow' }),
      );
      await using stage = await scene(agent.model('claude-sonnet-4-5-20250929'));
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'watch the tide');
      await person.choose('watch the tide');
      await person.page.getByRole('tab', { name: 'Timeline' }).click();
      await person.page.getByRole('link', { name: 'Waterfall' }).click();
      for (const [kind, text] of [
        ['model', 'sonnet-4-5'],
        ['thinking', 'thinking'],
        ['tool', 'sleep 60'],
      ])
        await person.page
          .locator(`.fall-${kind}`, { hasText: text ?? '' })
          .first()
          .waitFor();
      await person.page.getByRole('link', { name: 'Bash' }).click();
      await person.page.locator('.entry[data-selected="true"]', { hasText: 'sleep 60' }).waitFor();
    });
  });
}
