import { script } from '@coxswain/testkit';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../src/api.ts';
import { OpenedPage } from './opened-page.ts';
import { scene, send } from './scene.ts';
import { sampleStage } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

/** Failures are shown as failures, and can be found. */
export function outcomesSuite(browser: () => Browser): void {
  describe('outcomes', () => {
    it('[I-9] a turn that the API refused shows "Failed" in the row, the header and the timeline', async () => {
      const agent = script()
        .onPrompt(/break/, (turn) => turn.apiError(400))
        .otherwise((turn) => turn.say('Fine.'));
      await using stage = await scene(agent);
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'break it');
      const row = person.page.locator('.row', { hasText: 'break it' });
      await row.getByText('Failed').waitFor();
      const [edge, word] = await row.evaluate((element) => [
        getComputedStyle(element).borderLeftColor,
        getComputedStyle(element.querySelector('.status') ?? element).color,
      ]);
      expect(edge).toBe(word);
      await row.click();
      await person.page.locator('.head-line', { hasText: 'Failed' }).getByText('api-error').waitFor();
      await person.page.locator('.result .status-failed').waitFor();
      await person.page.getByRole('tab', { name: 'Timeline' }).click();
      await person.page.locator('.turn-outcome', { hasText: 'Failed' }).waitFor();
      // The next turn succeeds, and with it the conversation.
      send(stage.session, 'again');
      await row.getByText('Idle').waitFor();
    });

    it('[I-9] the filter finds open conversations that failed, and f cycles through the failures', async () => {
      const server = new StagedServer({ ...sampleStage(6, Date.now()), approvals: [] });
      const failing: Partial<Record<string, Partial<Conversation>>> = {
        c1: { state: 'idle', outcome: 'failed', stateNote: 'api-error' },
        c4: { state: 'failed', outcome: 'limit', stateNote: 'max-turns' },
      };
      server.stage.conversations = server.stage.conversations.map((each) => ({
        ...each,
        ...(failing[each.id] ?? { state: 'done', outcome: 'completed', stateNote: null }),
      }));
      await using person = await OpenedPage.open(browser(), await server.start());
      await person.page.locator('.row').nth(5).waitFor();
      const at = (): string => new URL(person.page.url()).hash;
      for (const hash of ['#/c/c1', '#/c/c4', '#/c/c1']) {
        await person.page.keyboard.press('f');
        await expect.poll(at).toBe(hash);
      }
      await person.page.getByRole('button', { name: /^Failed 2$/ }).click();
      await expect.poll(() => person.page.locator('.row').count()).toBe(2);
      await person.expectAccessible();
      await server.stop();
    });

    it('[I-9] f continues after the 200 newest failures, and then wraps around', async () => {
      const server = new StagedServer({ ...sampleStage(250, Date.now()), approvals: [] });
      server.stage.conversations = server.stage.conversations.map((each) => ({
        ...each,
        ...({ state: 'failed', outcome: 'failed', stateNote: 'api-error' } as const),
      }));
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c199`);
      const at = (): string => new URL(person.page.url()).hash;
      await person.page.locator('.head-line', { hasText: 'Failed' }).waitFor();
      await person.page.keyboard.press('f');
      await expect.poll(at).toBe('#/c/c200');
      await person.page.evaluate(() => {
        const shown = new Promise((resolve) => window.addEventListener('hashchange', resolve, { once: true }));
        location.hash = '#/c/c249';
        return shown.then(() => {});
      });
      await person.page.keyboard.press('f');
      await expect.poll(at).toBe('#/c/c0');
      await server.stop();
    });

    it('[I-9] f reports that no conversation has failed', async () => {
      const server = new StagedServer({ ...sampleStage(3, Date.now()), approvals: [] });
      await using person = await OpenedPage.open(browser(), await server.start());
      await person.page.locator('.row').nth(2).waitFor();
      await person.page.keyboard.press('f');
      await person.see('No conversation has failed.');
      await server.stop();
    });
  });
}
