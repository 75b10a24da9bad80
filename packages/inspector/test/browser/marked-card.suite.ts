import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Approval } from '../../src/api.ts';
import { openedCards } from './opened-cards.ts';
import { commandRequest, planRequest, questionRequest } from './staged-samples.ts';

/** A long script with a destructive end, above many harmless requests. */
const SCRIPT = Array.from({ length: 18 }, (_, at) => `echo step ${at}`).join('\n');

/** Keys decide only the marked request, which is in view. */
export function markedCardSuite(browser: () => Browser): void {
  describe('the marked card', () => {
    it('[I-7] with 19 requests, scrolled to the last, a key approves the last one, not the first, and reports it', async () => {
      const first = commandRequest('r0', `${SCRIPT}\nrm -rf build && git clean -fdx`, 0);
      const others = Array.from({ length: 18 }, (_, at) => commandRequest(`r${at + 1}`, `echo ${at + 1}`, at + 1));
      await using set = await openedCards(browser(), [first, ...others]);
      const { person } = set;
      expect(await set.marked()).toEqual(['r0']);
      await person.page.locator('.needs').evaluate((list) => list.scrollTo(0, list.scrollHeight));
      await expect.poll(() => set.marked()).toEqual(['r18']);
      await person.cardSettled();
      await person.page.keyboard.press('a');
      const notice = person.page.getByRole('status').getByText('Allowed once: Bash echo 18, for “Row”');
      await notice.waitFor();
      expect(set.answered()).toEqual(['r18']);
      expect(await person.page.locator('.toasts').getAttribute('aria-live')).toBe('polite');
    });

    it('[I-7] only the marked card shows its keys, a filled button and a strong border; marking moves nothing', async () => {
      const requests = ['one', 'two', 'three'].map((word, at) => commandRequest(`r${at}`, `echo ${word}`, at));
      await using set = await openedCards(browser(), requests);
      const { person } = set;
      const look = (): Promise<object[]> =>
        person.page.locator('.card').evaluateAll((cards) =>
          cards.map((card) => {
            const button = card.querySelector('.card-buttons .button');
            const key = card.querySelector('kbd');
            if (button === null || key === null) throw new Error('A card has a button with a key.');
            const { background, accent } = {
              background: getComputedStyle(button).backgroundColor,
              accent: getComputedStyle(button).borderColor,
            };
            return {
              keys: getComputedStyle(key).visibility === 'visible',
              filled: background === accent,
              edge: getComputedStyle(card).boxShadow !== 'none',
            };
          }),
        );
      const [on, off] = [
        { keys: true, filled: true, edge: true },
        { keys: false, filled: false, edge: false },
      ];
      const places = (): Promise<string[]> =>
        person.page
          .locator('.card-buttons .button')
          .evaluateAll((buttons) => buttons.map((button) => JSON.stringify(button.getBoundingClientRect())));
      const before = await places();
      expect(await look()).toEqual([on, off, off]);
      await set.hover('r2');
      await expect.poll(() => look()).toEqual([off, off, on]);
      expect(await places()).toEqual(before);
    });

    it('[I-7] hovering, focus and arrows move the mark; a resting pointer does not', async () => {
      const requests = ['one', 'two', 'three'].map((word, at) => commandRequest(`r${at}`, `echo ${word}`, at));
      await using set = await openedCards(browser(), requests);
      const { person, server } = set;
      await set.hover('r1');
      await expect.poll(() => set.marked()).toEqual(['r1']);
      await person.page.keyboard.press('ArrowDown');
      expect(await set.marked()).toEqual(['r2']);
      await set.card('r0').getByRole('button', { name: 'Deny…' }).focus();
      expect(await set.marked()).toEqual(['r0']);
      // The next card moves under the pointer; the focused one stays marked.
      server.push(set.gone('r1'));
      await person.page.locator('.card').nth(2).waitFor({ state: 'detached' });
      await person.page.evaluate(() => new Promise(requestAnimationFrame));
      expect(await set.marked()).toEqual(['r0']);
    });

    it('[I-7] the first card of a view is marked, even if the previous view had the same requests', async () => {
      const requests = ['one', 'two', 'three'].map((word, at) => commandRequest(`r${at}`, `echo ${word}`, at));
      await using set = await openedCards(browser(), requests, {}, '');
      const { person } = set;
      expect(await set.marked()).toEqual(['r0']);
      await person.page.keyboard.press('n');
      await person.page.locator('main[data-view="needs"]').waitFor();
      expect(await set.marked()).toEqual(['r0']);
    });

    it('[I-7] a key on a focused button decides nothing while its card is scrolled out of view', async () => {
      const requests = Array.from({ length: 12 }, (_, at) => commandRequest(`r${at}`, `echo ${at}`, at));
      await using set = await openedCards(browser(), requests);
      const { person } = set;
      await set.card('r0').getByRole('button', { name: 'Allow once' }).focus();
      await person.page.locator('.needs').evaluate((list) => list.scrollTo(0, list.scrollHeight));
      await person.cardSettled();
      await person.page.keyboard.press('Enter');
      await person.see(/this request was not in view/);
      expect(set.answered()).toEqual([]);
      await person.cardSettled();
      await person.page.keyboard.press('Enter');
      await expect.poll(() => set.answered()).toEqual(['r0']);
    });

    it('[I-7] a card taller than the screen is marked by the fraction of the screen that it fills', async () => {
      const tall = { ...commandRequest('r0', SCRIPT, 0), fields: tallFields() };
      await using set = await openedCards(browser(), [tall, commandRequest('r1', 'echo 1', 1)], {
        viewport: { width: 1440, height: 500 },
      });
      const { person } = set;
      const list = person.page.locator('.needs');
      expect(await set.card('r0').evaluate((element) => element.clientHeight)).toBeGreaterThan(900);
      await list.evaluate((element) => element.scrollTo(0, 300));
      await expect.poll(() => set.marked()).toEqual(['r0']);
      // Too little of either card is visible.
      const top = await set.card('r1').evaluate((element) => (element instanceof HTMLElement ? element.offsetTop : 0));
      const height = await list.evaluate((element) => element.clientHeight);
      await list.evaluate((element, to) => element.scrollTo(0, to), top - height / 2 - 40);
      await expect.poll(async () => (await set.marked()).length).toBeLessThan(2);
      await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await expect.poll(() => set.marked()).toEqual(['r1']);
    });

    it('[I-7] a key reports that no request is in view', async () => {
      const tall = { ...commandRequest('r0', SCRIPT, 0), fields: tallFields() };
      const second = { ...commandRequest('r1', SCRIPT, 1), fields: tallFields() };
      await using set = await openedCards(browser(), [tall, second], { viewport: { width: 1440, height: 500 } });
      const { person } = set;
      const list = person.page.locator('.needs');
      const middle = await set.card('r1').evaluate((element) => {
        const { top } = element.getBoundingClientRect();
        const box = element.parentElement?.getBoundingClientRect();
        return top - (box?.top ?? 0) - (box?.height ?? 0) / 2;
      });
      await list.evaluate((element, to) => element.scrollTo(0, to), middle);
      await expect.poll(() => set.marked()).toEqual([]);
      await person.cardSettled();
      await person.page.keyboard.press('a');
      await person.see(/no request is in view/);
      expect(set.answered()).toEqual([]);
    });

    it('[I-7] a card that another one pushes away ignores clicks for 300 ms', async () => {
      await using set = await openedCards(browser(), [commandRequest('r0', 'echo 0', 0)], {}, '#/c/c0');
      const { person, server } = set;
      await person.cardSettled();
      // The dock grows upwards: the upper card moves when one is added below it.
      await person.page.evaluate(() => {
        new MutationObserver((_, observer) => {
          if (document.querySelectorAll('.card').length !== 2) return;
          observer.disconnect();
          const tap = new MouseEvent('click', { bubbles: true, detail: 1 });
          document.querySelector('.card .card-buttons .button')?.dispatchEvent(tap);
        }).observe(document.body, { childList: true, subtree: true });
      });
      server.push({ type: 'approval', approval: commandRequest('r1', 'echo 1', 1) });
      await person.page.locator('.card').nth(1).waitFor();
      await person.cardSettled();
      expect(set.answered()).toEqual([]);
      await set.card('r0').getByRole('button', { name: 'Allow once' }).click();
      await expect.poll(() => set.answered()).toEqual(['r0']);
    });

    it('[I-7] a card ignores keys in the first 300 ms after its window becomes active, and repeated keys', async () => {
      await using set = await openedCards(browser(), [commandRequest('r0', 'echo 0', 0)]);
      const { person } = set;
      await person.page.evaluate(() => {
        dispatchEvent(new Event('focus'));
        document.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
      });
      await person.cardSettled();
      await person.page.evaluate(() => {
        document.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true, repeat: true }));
      });
      await person.page.keyboard.press('x');
      expect(set.answered()).toEqual([]);
      await person.page.keyboard.press('a');
      await expect.poll(() => set.answered()).toEqual(['r0']);
    });

    it('[I-7] while the deny form is open, keys do not allow anything', async () => {
      await using set = await openedCards(browser(), [commandRequest('r0', 'echo 0', 0)]);
      const { person } = set;
      await person.page.keyboard.press('d');
      await person.page.getByLabel('Also end the turn').focus();
      await person.page.keyboard.press('a');
      await person.page.keyboard.press('s');
      expect(set.answered()).toEqual([]);
    });

    it('[I-7] arrows move between the options of a question, numbers choose, and Enter answers it', async () => {
      const plan = planRequest('r1', '# Delete everything', 1);
      await using set = await openedCards(browser(), [questionRequest('r0', [false], 0), plan]);
      const { person, server } = set;
      await person.page.getByLabel(/Option 1\.1/).focus();
      await person.page.keyboard.press('ArrowDown');
      expect(await person.page.getByLabel(/Option 1\.2/).isChecked()).toBe(true);
      expect(await set.marked()).toEqual(['r0']);
      await person.page.keyboard.press('a');
      expect(set.answered()).toEqual([]);
      await person.page.keyboard.press('3');
      expect(await person.page.getByLabel(/Option 1\.3/).isChecked()).toBe(true);
      await person.page.keyboard.press('Enter');
      await person.see('Answered: a question, for “Row”');
      expect(server.posts).toMatchObject([{ body: { decision: 'answer', answers: { 'Question 1?': 'Option 1.3' } } }]);
    });

    it('[I-7] numbers answer one question after the other, and Enter moves to the one without an answer', async () => {
      await using set = await openedCards(browser(), [questionRequest('r0', [false, true], 0)]);
      const { person, server } = set;
      await person.page.keyboard.press('2');
      expect(await person.page.getByLabel(/Option 1\.2/).isChecked()).toBe(true);
      await person.page.keyboard.press('Enter');
      expect(set.answered()).toEqual([]);
      await person.page.keyboard.press('1');
      await person.page.keyboard.press('3');
      // Several options can be chosen here, so arrows only move.
      await person.page.keyboard.press('ArrowUp');
      expect(await person.page.getByLabel(/Option 2\.2/).evaluate((one) => one === document.activeElement)).toBe(true);
      expect(await person.page.getByLabel(/Option 2\.2/).isChecked()).toBe(false);
      await person.page.keyboard.press('Enter');
      await expect.poll(() => set.answered()).toEqual(['r0']);
      const answers = { 'Question 1?': 'Option 1.2', 'Question 2?': ['Option 2.1', 'Option 2.3'] };
      expect(server.posts).toMatchObject([{ body: { decision: 'answer', answers } }]);
    });

    for (const width of [320, 390, 1440]) {
      it(`[I-6, I-7] 20 cards violate no axe rule and are not wider than the screen, ${width} px`, async () => {
        const commands = Array.from({ length: 18 }, (_, at) => commandRequest(`r${at}`, `echo ${at}`, at));
        const mixed = [...commands, questionRequest('r18', [false, true], 18), planRequest('r19', '# Row', 19)];
        await using set = await openedCards(browser(), mixed, { viewport: { width, height: 844 } });
        await set.person.expectAccessible();
        const wide = await set.person.page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide).toBe(width);
      });
    }
  });
}

function tallFields(): Approval['fields'] {
  return Array.from({ length: 20 }, (_, at) => {
    const text = `line one of ${at}\nline two of ${at}`;
    return { name: `field ${at}`, value: { text, length: text.length, more: null } };
  });
}
