import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Approval } from '../../src/api.ts';
import { openedCards } from './opened-cards.ts';
import { commandRequest, questionRequest, sampleDiff } from './staged-samples.ts';

const LONG = Array.from({ length: 19 }, (_, at) => `make target-${at}`).join('\n');
const PATH = '/srv/rowing/packages/telemetry/src/measurements/internal/aggregation/stroke-rate.ts';

function described(id: string, command: string, description: string): Approval {
  return { ...commandRequest(id, command, 1), description, scopes: ['once', 'session', 'always'] };
}

function edit(id: string): Approval {
  return { ...commandRequest(id, PATH, 2), tool: 'Edit', diff: { ...sampleDiff(), path: PATH } };
}

/** What a card shows, at every size. */
export function cardSuite(browser: () => Browser): void {
  describe('cards', () => {
    it('[I-11] the head has two lines: who asks, and what for', async () => {
      const set = [described('r0', 'git push', 'Push the branch with the fix'), edit('r1')];
      await using stage = await openedCards(browser(), set);
      const head = stage.card('r0').locator('.card-head');
      await head.locator('.card-who').getByText('rowing', { exact: true }).waitFor();
      expect((await head.locator('.card-who').innerText()).split('\n')).toEqual(
        expect.arrayContaining(['Row', 'rowing', 'sonnet-4-5', '1 of 2']),
      );
      await head.locator('.card-what', { hasText: 'Bash wants to run' }).getByText('Push the branch').waitFor();
      const box = await head.boundingBox();
      expect(box?.height ?? 0).toBeLessThan(64);
    });

    for (const width of [320, 390, 768, 1440]) {
      it(`[I-11] a long path keeps its file name at ${width} px`, async () => {
        await using stage = await openedCards(browser(), [edit('r0')], { viewport: { width, height: 800 } });
        const names = stage.card('r0').locator('.path-name').filter({ visible: true });
        // On a phone, only the head of the diff has room for it.
        expect(await names.count()).toBe(width > 720 ? 2 : 1);
        for (const name of await names.all()) {
          expect(await name.innerText()).toBe('/stroke-rate.ts');
          expect(await name.evaluate((part) => part.scrollWidth <= part.clientWidth)).toBe(true);
        }
      });
    }

    // The second is 1440 × 900 at 200 %, the third 1280 × 720.
    for (const [width, height] of [
      [320, 568],
      [720, 450],
      [640, 360],
    ] as const) {
      it(`[I-11] the content has half of a ${width} × ${height} page, and fades where it is cut`, async () => {
        const viewport = { viewport: { width, height } };
        const asks = [described('r0', LONG, 'Build all targets'), commandRequest('r1', 'ls', 2)];
        await using list = await openedCards(browser(), asks, viewport);
        expect((await list.card('r0').locator('.card-body').boundingBox())?.height ?? 0).toBeGreaterThanOrEqual(
          height / 2,
        );
        await using stage = await openedCards(browser(), asks, viewport, '#/c/c0');
        const card = stage.card('r0');
        const body = card.locator('.card-body');
        await body.getByText('Build all targets').waitFor();
        expect((await body.boundingBox())?.height ?? 0).toBeGreaterThanOrEqual(height / 2);
        const fade = (): Promise<string> => body.evaluate((part) => getComputedStyle(part, '::after').height);
        expect(await fade()).toBe('40px');
        for (const button of await card.locator('.card-buttons > .button').all()) {
          const place = await button.boundingBox();
          expect((place?.y ?? height) + (place?.height ?? 0)).toBeLessThanOrEqual(height);
        }
        await body.evaluate((part) => part.scrollTo(0, part.scrollHeight));
        await expect.poll(fade).toBe('auto');
        await stage.person.expectAccessible();
      });
    }

    it('[I-11] the text of a person stays on the page if another answer comes first', async () => {
      await using stage = await openedCards(browser(), [
        commandRequest('r0', 'git push', 1),
        questionRequest('r1', [false], 2),
      ]);
      const { person, server } = stage;
      await stage.card('r0').getByRole('button', { name: 'Deny' }).click();
      await person.page.getByLabel('Tell the model why').fill('Use the staging branch');
      await stage.card('r1').getByLabel('Another answer').fill('A double scull');
      server.push(stage.gone('r0'));
      server.push(stage.gone('r1'));
      const toasts = person.page.locator('.toast');
      await toasts.filter({ hasText: 'denied by ann. What you typed was not sent' }).first().waitFor();
      await toasts.getByText('Use the staging branch', { exact: true }).waitFor();
      await toasts.getByText('A double scull', { exact: true }).waitFor();
      await toasts.getByRole('button', { name: 'Copy what you typed' }).first().waitFor();
    });

    it('[I-11] a reason is kept when the form is closed and opened again', async () => {
      await using stage = await openedCards(browser(), [commandRequest('r0', 'git push', 1)]);
      await stage.card('r0').getByRole('button', { name: 'Deny' }).click();
      await stage.person.page.getByLabel('Tell the model why').fill('Not yet');
      await stage.person.page.getByRole('button', { name: 'Back', exact: true }).click();
      await stage.card('r0').getByRole('button', { name: 'Deny' }).click();
      expect(await stage.person.page.getByLabel('Tell the model why').inputValue()).toBe('Not yet');
    });

    it('[I-11] the editor and the notices show hidden and bidirectional characters', async () => {
      const request = { ...commandRequest('r0', 'rm \u202egpj.exe', 1), tool: 'Ba\u200bsh' };
      await using stage = await openedCards(browser(), [request]);
      await stage.card('r0').getByRole('button', { name: 'Edit' }).click();
      const editor = stage.person.page.locator('.card textarea');
      expect(await editor.inputValue()).toContain('rm \\u202egpj.exe');
      await editor.fill(await editor.inputValue());
      await stage.person.page.getByRole('button', { name: 'Allow with this input' }).click();
      await stage.person.see('⟦U+202E⟧');
      const sent = JSON.stringify(stage.server.posts[0]?.body);
      expect(JSON.parse(JSON.parse(sent).input)).toEqual({ command: 'rm \u202egpj.exe' });
      expect(await stage.person.page.locator('body').innerText()).not.toMatch(/[\u200b\u202e]/);
    });

    it('[I-11] twenty cards have no violation of accessibility', async () => {
      const set = Array.from({ length: 20 }, (_, at) =>
        at % 3 === 0 ? edit(`r${at}`) : described(`r${at}`, `make ${at}`, `Target ${at}`),
      );
      await using stage = await openedCards(browser(), set);
      await stage.person.expectAccessible();
    });
  });
}
