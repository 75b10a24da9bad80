import { script, startFakeApi, text } from '@coxswain/testkit';
import { openSession } from 'coxswain';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { isolatedHome } from '../../../../conformance/harness/isolated-home.ts';
import { realCli } from '../../../../conformance/harness/real-cli.ts';
import { askInspector, inspect } from '../../src/index.ts';
import { OpenedPage } from './opened-page.ts';
import { scene } from './scene.ts';

/** Copies of a conversation with another prompt, and what became different. */
export function forkingSuite(browser: () => Browser): void {
  describe('forking', () => {
    it('[I-19] a prompt is edited in a copy of the real CLI that ends before it, and both are compared from where they differ', async () => {
      await using api = await startFakeApi([text('An eight.'), text('It sinks.'), text('It floats.')]);
      await using home = await isolatedHome(api.url);
      await using session = openSession({
        ...{ cli: realCli(), cwd: home.project, env: home.env(), configDir: home.configDir },
        ...{ includePartialMessages: true, canUseTool: askInspector() },
      });
      await using inspector = await inspect(session);
      await session.send('Which boat?').result();
      await session.send('Make it of stone').result();
      await using person = await OpenedPage.open(browser(), inspector.url, { reducedMotion: 'reduce' });
      await person.choose('Which boat?');
      const prompt = person.page.locator('.prompt', { hasText: 'Make it of stone' });
      await person.see('It sinks.');
      expect(await person.page.getByRole('button', { name: 'Edit this prompt in a copy' }).count()).toBe(1);
      await prompt.hover();
      await person.expectAccessible();
      await prompt.getByRole('button', { name: 'Edit this prompt in a copy' }).click();
      const field = person.page.getByRole('textbox', { name: 'The prompt of the copy' });
      expect(await field.inputValue()).toBe('Make it of stone');
      expect(await field.evaluate((element) => getComputedStyle(element).borderTopWidth)).toBe('1px');
      await person.expectAccessible();
      await field.fill('Make it of wood');
      await person.click('Fork with this prompt');
      await person.see('It floats.');
      expect(await person.page.locator('.prompt .plain').allInnerTexts()).toEqual(['Which boat?', 'Make it of wood']);
      const asked = JSON.stringify(api.conversation.at(-1));
      expect(asked).toContain('Make it of wood');
      expect(asked).toContain('An eight.');
      expect(asked).not.toContain('stone');
      await person.page.getByRole('link', { name: 'Compare', exact: true }).click();
      await person.see('They differ after 2 steps');
      const columns = person.page.locator('.compare-column');
      for (const [at, prompted, said] of [
        [0, 'Make it of wood', 'It floats.'],
        [1, 'Make it of stone', 'It sinks.'],
      ] as const) {
        await columns.nth(at).getByText(said).waitFor();
        expect(await columns.nth(at).locator('.prompt .plain').allInnerTexts()).toEqual([prompted]);
      }
      await person.expectAccessible();
      await person.page.setViewportSize({ width: 320, height: 568 });
      expect(await person.page.evaluate(() => document.querySelector('.compare')?.scrollWidth)).toBeLessThanOrEqual(
        320,
      );
      await person.expectAccessible();
    });

    it('[I-19] any two conversations are compared; the other one is chosen from a list', async () => {
      await using stage = await scene(script().otherwise((turn) => turn.say('Aye.')));
      await using other = openSession({ transport: stage.transport });
      await using inspector = await inspect([stage.session, other]);
      await stage.session.send('row').result();
      await other.send('sail').result();
      await using person = await OpenedPage.open(browser(), inspector.url);
      await person.choose('row');
      await person.click('More actions');
      await person.page.getByRole('link', { name: 'Compare with' }).click();
      await person.see('Choose the other conversation');
      await person.expectAccessible();
      await person.page.locator('.compare-choice', { hasText: 'sail' }).click();
      await person.see('They differ from the start');
      await person.page.locator('.compare-column .prompt', { hasText: 'sail' }).waitFor();
    });
  });
}
