import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openedCards } from './opened-cards.ts';
import { commandRequest, planRequest, questionRequest } from './staged-samples.ts';

const three = () => ['one', 'two', 'three'].map((word, at) => commandRequest(`r${at}`, `echo ${word}`, at));

/** Keys while the focus and the mark are on different cards, and keys on the options of a question. */
export function meantKeysSuite(browser: () => Browser): void {
  describe('keys and the focus', () => {
    it('[I-7] Enter on a button decides nothing while the pointer has marked another card, and the page reports it', async () => {
      await using set = await openedCards(browser(), three());
      const { person } = set;
      await set.card('r0').getByRole('button', { name: 'Allow once' }).focus();
      await set.hover('r2');
      await expect.poll(set.marked).toEqual(['r2']);
      await person.cardSettled();
      await person.page.keyboard.press('Enter');
      await person.see('Nothing was done: another request was marked. Look at this one, and press the key again.');
      expect(await set.marked()).toEqual(['r0']);
      expect(set.answered()).toEqual([]);
      await person.cardSettled();
      await person.page.keyboard.press('Enter');
      await expect.poll(set.answered).toEqual(['r0']);
    });

    it('[I-7] the pointer does not move the mark while a person types a reason; Enter sends it', async () => {
      await using set = await openedCards(browser(), three());
      const { person, server } = set;
      await person.typeAfter('d', 'not now');
      await set.hover('r2');
      expect(await set.marked()).toEqual(['r0']);
      await person.page.keyboard.press('Enter');
      await person.see('Denied: Bash echo one, for “Row”');
      expect(server.posts).toMatchObject([{ body: { decision: 'deny', reason: 'not now' } }]);
    });

    it('[I-7] Enter on a button decides nothing in the first 300 ms after its card moved', async () => {
      await using set = await openedCards(browser(), three());
      const { person, server } = set;
      const allow = set.card('r1').getByRole('button', { name: 'Allow once' });
      await allow.focus();
      await person.cardSettled();
      await person.page.evaluate(() => {
        new MutationObserver((_, observer) => {
          if (document.querySelectorAll('.card').length !== 2) return;
          observer.disconnect();
          // The effect of Enter on a button.
          document.querySelector<HTMLElement>('.card:focus-within .button:focus')?.click();
        }).observe(document.body, { childList: true, subtree: true });
      });
      server.push(set.gone('r0'));
      await person.page.locator('.card').nth(2).waitFor({ state: 'detached' });
      await person.cardSettled();
      expect(set.answered()).toEqual([]);
      await person.page.keyboard.press('Enter');
      await expect.poll(set.answered).toEqual(['r1']);
    });

    it('[I-7] Enter on an option moves to the question without an answer, and submits once all are answered', async () => {
      await using set = await openedCards(browser(), [questionRequest('r0', [true, false], 0)]);
      const { person, server } = set;
      await person.page.keyboard.press('1');
      await person.page.keyboard.press('Enter');
      const other = person.page.getByLabel(/Option 2\.1/);
      expect(await other.evaluate((one) => one === document.activeElement)).toBe(true);
      expect(set.answered()).toEqual([]);
      await person.page.keyboard.press('2');
      await person.page.keyboard.press('Enter');
      await expect.poll(set.answered).toEqual(['r0']);
      const answers = { 'Question 1?': ['Option 1.1'], 'Question 2?': 'Option 2.2' };
      expect(server.posts).toMatchObject([{ body: { decision: 'answer', answers } }]);
    });

    it('[I-7] a question marked by the arrows is answered with a number and Enter', async () => {
      const plan = planRequest('r0', '# Row', 0);
      await using set = await openedCards(browser(), [plan, questionRequest('r1', [false], 1)]);
      const { person } = set;
      await person.page.keyboard.press('ArrowDown');
      expect(await set.marked()).toEqual(['r1']);
      await person.cardSettled();
      // Without an answer, Enter moves to the options.
      await person.page.keyboard.press('Enter');
      expect(await person.page.getByLabel(/Option 1\.1/).evaluate((one) => one === document.activeElement)).toBe(true);
      await person.page.keyboard.press('3');
      await person.page.keyboard.press('Enter');
      await expect.poll(set.answered).toEqual(['r1']);
    });

    it('[I-6, I-7] the space bar chooses an option below a transcript without scrolling it', async () => {
      await using set = await openedCards(browser(), [questionRequest('r0', [true], 0)], {}, '#/c/c0');
      const option = set.person.page.getByLabel(/Option 1\.2/);
      await option.focus();
      await set.person.page.keyboard.press(' ');
      expect(await option.isChecked()).toBe(true);
    });

    it('[I-7] the notice about an edited input shows the allowed input', async () => {
      await using set = await openedCards(browser(), three().slice(0, 1));
      const { person } = set;
      await person.page.keyboard.press('e');
      await person.page.getByLabel(/as JSON/).fill('{ "command": "echo edited" }');
      await person.click('Allow with this input');
      await person.see('Allowed with your input: Bash echo edited, for “Row”');
    });
  });
}
