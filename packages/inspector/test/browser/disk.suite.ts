import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inMemoryCli, script } from '@coxswain/testkit';
import { openSession } from 'coxswain';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { inspect } from '../../src/index.ts';
import { answersOnDisk, oneOnDisk, SESSION, twoTurnsOnDisk } from './on-disk.ts';
import { OpenedPage } from './opened-page.ts';

/** Conversations on disk. */
export function diskSuite(browser: () => Browser): void {
  describe('conversations on disk', () => {
    it('[I-2] a conversation on disk is renamed, and resumed with the next prompt', async () => {
      const configDir = await oneOnDisk();
      const { transport } = inMemoryCli(
        script()
          .sessions(SESSION)
          .otherwise((turn) => turn.say('Where were we?')),
      );
      const open = ({ resume, forkSession }: { resume: string; forkSession: boolean }) =>
        openSession({ resume, forkSession, transport });
      await using inspector = await inspect([], { disk: { configDir, open } });
      await using person = await OpenedPage.open(browser(), inspector.url);
      await person.choose('Repair the oar');
      await person.page.locator('.prompt', { hasText: 'Repair the oar' }).waitFor();
      // Its cost is unknown, so none is shown.
      expect(await person.page.locator('.shell').innerText()).not.toContain('$');
      await person.click('More actions');
      await person.click('Rename');
      await person.page.getByLabel('New title').fill('The oar');
      await person.page.keyboard.press('Enter');
      await person.page.locator('.head h2', { hasText: 'The oar' }).waitFor();
      await person.page.getByRole('textbox', { name: 'Continue this conversation' }).fill('Go on');
      await person.page.keyboard.press('Enter');
      await person.see('Where were we?');
      await person.page.locator('.prompt', { hasText: 'Go on' }).waitFor();
    });

    it('[I-4, I-13] names and tokens that a transcript makes up break neither the page nor the sums', async () => {
      const models = ['claude-sonnet-4-5', '__proto__', 'toString', 'constructor'];
      const configDir = await answersOnDisk(models, { input_tokens: -1e9, output_tokens: 1e308 });
      await using inspector = await inspect([], { disk: { configDir } });
      await using person = await OpenedPage.open(browser(), inspector.url);
      await person.choose('Repair the oar');
      await person.see('I am toString.');
      await person.page.getByRole('tab', { name: 'Cost' }).click();
      const rows = person.page.locator('.panel tr', { hasText: /toString|constructor|others|Total/ });
      await expect.poll(() => rows.count()).toBe(4);
      expect(await person.page.locator('.panel').innerText()).not.toMatch(/Infinity|NaN|\s[-−]\$?\d/);
    });

    it('[I-14] the first call of a turn begins with its prompt, not with the answer before', async () => {
      await using inspector = await inspect([], { disk: { configDir: await twoTurnsOnDisk() } });
      await using person = await OpenedPage.open(browser(), inspector.url);
      await person.choose('Repair the oar');
      await person.page.getByRole('tab', { name: 'Timeline' }).click();
      for (const turn of [0, 1]) {
        await person.page.getByRole('link', { name: 'Waterfall' }).nth(turn).click();
        await person.see(/^4 s · .*model 4 s$/);
        await person.page.goBack();
        await person.page.getByRole('link', { name: 'Waterfall' }).nth(turn).waitFor();
      }
    });

    it('[I-19] a copy that no CLI can continue does not stay', async () => {
      const configDir = await twoTurnsOnDisk();
      const open = ({ resume }: { resume: string }) => openSession({ resume, cli: join(configDir, 'no-cli') });
      await using inspector = await inspect([], { disk: { configDir, open } });
      await using person = await OpenedPage.open(browser(), inspector.url);
      await person.choose('Repair the oar');
      await person.page.locator('.prompt', { hasText: 'Paint it' }).hover();
      await person.click('Edit this prompt in a copy');
      await person.click('Fork with this prompt');
      await person.see(/Claude Code is not installed/);
      expect(await readdir(join(configDir, 'projects', '-boat'))).toEqual([`${SESSION}.jsonl`]);
      expect(await person.page.locator('.row').count()).toBe(1);
    });
  });
}
