import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { inspect } from '../../src/index.ts';
import { FakeFleet } from '../sources/fake-fleet.ts';
import { OpenedPage } from './opened-page.ts';

/** The queue of a fleet. */
export function queuesSuite(browser: () => Browser): void {
  describe('queues', () => {
    it('[I-1, I-6] a queue shows waiting turns, workers, pauses and turns that no worker could start, and is updated live', async () => {
      const fleet = new FakeFleet();
      fleet.queue('ann', 'Repair the oar');
      fleet.end(fleet.add('bob', 'Paint the boat').id, { kind: 'dead', message: '5 workers died.' });
      await using inspector = await inspect(fleet);
      await using person = await OpenedPage.open(browser(), inspector.url, { reducedMotion: 'reduce' });
      await person.page.getByRole('link', { name: 'Queues' }).click();
      const queue = person.page.getByRole('group', { name: 'Queues' });
      await queue.getByText('1 of 4 slots busy').waitFor();
      await queue.getByText('default is paused until').waitFor();
      await queue.getByText('2 held back by the quota of team: 1 of 1 running').waitFor();
      await queue.getByText('1 held back by the quota of lab: $5.00 of $4.50 spent today').waitFor();
      expect(await queue.locator('li', { hasText: 'two (h)' }).textContent()).toContain('lost');
      expect(await queue.locator('li', { hasText: 'Paint the boat' }).textContent()).toContain('5 workers died.');
      await person.expectAccessible();
      fleet.queue('ann', 'Find the cox');
      await queue.getByRole('link', { name: 'Find the cox' }).waitFor();
      await person.click('Cancel: Find the cox');
      await queue.getByRole('link', { name: 'Find the cox' }).waitFor({ state: 'detached' });
      await person.click('Send again: Paint the boat');
      await person.page.getByRole('button', { name: 'Cancel: Paint the boat' }).waitFor();
      expect(fleet.calls).toEqual(['local: cancel turn-3', 'local: resend turn-2']);
      await queue.getByRole('link', { name: 'Repair the oar' }).click();
      await person.page.locator('.head h2', { hasText: 'ann' }).waitFor();
    });
  });
}
