import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { inspect } from '../../src/index.ts';
import { FakeFleet } from '../sources/fake-fleet.ts';
import { OpenedPage } from './opened-page.ts';

/** The queue of a fleet. */
export function queuesSuite(browser: () => Browser): void {
  describe('queues', () => {
    it('[I-1, I-6, I-20] a queue shows waiting turns, workers, pauses and turns that no worker could start, and is updated live', async () => {
      const fleet = new FakeFleet();
      fleet.queue('ann', 'Repair the oar');
      fleet.end(fleet.add('bob', 'Paint the boat').id, { kind: 'dead', message: '5 workers died.' });
      await using inspector = await inspect(fleet);
      await using person = await OpenedPage.open(browser(), inspector.url, { reducedMotion: 'reduce' });
      await person.page.getByRole('link', { name: 'Queues' }).click();
      const queue = person.page.getByRole('group', { name: 'Queues' });
      await queue.getByText(/1 of 4 slots busy · 4 waiting · 2 parked/).waitFor();
      await queue.getByText('default is paused until').waitFor();
      // Oldest first, with their keys.
      expect(
        (await queue.locator('.queue-row').allInnerTexts()).map((row) => row.split(/\s*\n\s*/).slice(0, 2)),
      ).toEqual([
        ['ann', 'Repair the oar'],
        ['bob', 'Paint the boat'],
      ]);
      await queue.getByText('2 held back by the quota of team: 1 of 1 running').waitFor();
      await queue.getByText('1 held back by the quota of lab: $5.00 of $4.50 spent today').waitFor();
      await queue.getByText('3 waiting: no worker has the agent deploy').waitFor();
      expect(await queue.locator('li', { hasText: 'one (h)' }).textContent()).toContain('review 2, CLI 2.1.311');
      expect(await queue.locator('li', { hasText: 'two (h)' }).textContent()).toContain('lost');
      expect(await queue.locator('li', { hasText: 'Paint the boat' }).textContent()).toContain('5 workers died.');
      await person.expectAccessible();
      fleet.queue('ann', 'Find the cox');
      await queue.getByRole('link', { name: 'Find the cox' }).waitFor();
      await person.click('Cancel: Find the cox');
      await person.click('Really cancel?: Find the cox');
      await queue.getByRole('link', { name: 'Find the cox' }).waitFor({ state: 'detached' });
      await person.click('Send again: Paint the boat');
      await person.page.getByRole('button', { name: 'Cancel: Paint the boat' }).waitFor();
      expect(fleet.calls).toEqual(['local: cancel turn-3', 'local: resend turn-2']);
      await queue.getByRole('link', { name: 'Repair the oar' }).click();
      await person.page.locator('.head h2', { hasText: 'ann' }).waitFor();
    });

    it('[I-2, I-6, I-20, F-35] a parked turn needs a person, shows for how long, who may answer and until when, and is answered', async () => {
      const fleet = new FakeFleet();
      const turn = fleet.add('ann', 'Make the release');
      const request = {
        kind: 'tool' as const,
        toolName: 'Bash' as const,
        input: { command: 'npm publish' },
        suggestions: [],
        raw: {},
      };
      fleet.ask(turn.id, 'ann', { ...request, id: 'r1' });
      await using inspector = await inspect(fleet);
      await using person = await OpenedPage.open(browser(), inspector.url, { reducedMotion: 'reduce' });
      await person.see('1 needs you');
      await person.see('release may answer');
      fleet.park(turn.id, { agoMs: 3 * 3_600_000 + 60_000, expiresInMs: 5 * 3_600_000 + 60_000 });
      await person.see('parked for 3h, holds nothing; release may answer; denied in 5h');
      expect(await person.page.locator('.row', { hasText: 'ann' }).innerText()).toMatch(/Needs you\s+parked/);
      await person.expectAccessible();
      await person.page.getByRole('link', { name: 'Queues' }).click();
      const parked = person.page.locator('.queue-row', { hasText: 'Bash: npm publish' });
      expect((await parked.innerText()).split(/\s*\n\s*/)).toEqual([
        ...['ann', 'Bash: npm publish', expect.any(String)],
        'parked for 3h, holds nothing; release may answer; denied in 5h',
      ]);
      await person.see('1 parked turn with an answer');
      await person.expectAccessible();
      await person.page.goBack();
      await person.cardSettled();
      await person.click('Allow once');
      await person.seeNot('1 needs you');
      expect(fleet.calls).toEqual(['local: allow a-r1']);
      expect(fleet.hashes).toEqual(['hash of r1']);
    });
  });
}
