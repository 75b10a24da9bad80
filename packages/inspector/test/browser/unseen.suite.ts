import type { PermissionRequest } from 'coxswain';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Approval } from '../../src/api.ts';
import { describeRequest } from '../../src/approvals/approval.ts';
import { openedCards } from './opened-cards.ts';
import { commandRequest, planRequest, sampleDiff, whole } from './staged-samples.ts';

const PATH = '/srv/rowing/packages/telemetry/src/measurements/production/aggregation/stroke-rate.ts';
const RULE = { type: 'addRules', behavior: 'allow', destination: 'session' } as const;

/** The request as the server describes it. */
function described(id: string, toolName: string, input: object, suggestions: readonly object[] = []): Approval {
  const request = { id, kind: 'tool', toolName, input, suggestions, raw: {} } as unknown as PermissionRequest;
  const texts = { redact: (text: string) => text, cut: whole, storeFullText: () => 'api/part' };
  return { ...commandRequest(id, '', 1), ...describeRequest(request, texts) };
}

/** Nobody approves what a card has not shown. */
export function unseenSuite(browser: () => Browser): void {
  describe('what a card could hide', () => {
    for (const width of [320, 390, 1440]) {
      it(`[I-2, I-11] the whole path of a changed file is readable at ${width} px`, async () => {
        const edit = { ...commandRequest('r0', PATH, 2), tool: 'Edit', diff: { ...sampleDiff(), path: PATH } };
        await using stage = await openedCards(browser(), [edit], { viewport: { width, height: 800 } });
        const outside = await stage
          .card('r0')
          .locator('.diff-head .path')
          .evaluate((path) => {
            const edge = path.getBoundingClientRect();
            const texts = document.createTreeWalker(path, NodeFilter.SHOW_TEXT);
            const range = document.createRange();
            let hidden = 0;
            for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
              range.selectNodeContents(text);
              const box = text.parentElement?.getBoundingClientRect() ?? edge;
              for (const { left, right } of range.getClientRects())
                if (left < box.left - 1 || right > Math.min(box.right, edge.right) + 1) hidden += 1;
            }
            return hidden;
          });
        expect(outside).toBe(0);
      });
    }

    for (const width of [320, 390, 1440]) {
      it(`[I-2, I-11] the whole name of a tool is readable at ${width} px`, async () => {
        const tool = 'mcp__production-database-of-the-northern-region__delete_all_customer_records';
        const set = [{ ...commandRequest('r0', '{}', 1), tool }, commandRequest('r1', 'ls', 2)];
        await using stage = await openedCards(browser(), set, { viewport: { width, height: 800 } });
        const status = stage.card('r0').locator('.card-what > .status');
        expect(await status.textContent()).toContain(tool);
        const cut = await status.evaluate((name) => {
          const { left, right } = name.closest('.card')?.getBoundingClientRect() ?? name.getBoundingClientRect();
          const range = document.createRange();
          range.selectNodeContents(name);
          return [...range.getClientRects()].filter((box) => box.left < left || box.right > right).length;
        });
        expect(cut).toBe(0);
      });
    }

    it('[I-7, I-11] on a phone, the notice about one decision does not cover who asks next', async () => {
      const set = ['r0', 'r1', 'r2'].map((id, at) => commandRequest(id, `git push origin ${'main '.repeat(20)}`, at));
      await using stage = await openedCards(browser(), set, { viewport: { width: 390, height: 844 } });
      await stage.card('r0').getByRole('button', { name: 'Allow once' }).click();
      const notice = stage.person.page.locator('.toast', { hasText: 'Allowed once' });
      await notice.waitFor();
      await expect.poll(() => stage.marked()).toEqual(['r1']);
      const [over, head, allow] = await Promise.all([
        notice.boundingBox(),
        stage.card('r1').locator('.card-head').boundingBox(),
        stage.card('r1').getByRole('button', { name: 'Allow once' }).boundingBox(),
      ]);
      if (over === null || head === null || allow === null) throw new Error('The card is not shown.');
      expect(over.y + over.height).toBeLessThanOrEqual(head.y + 1);
      expect(allow.y + allow.height).toBeLessThanOrEqual(844);
    });

    it('[I-2] a rule is accepted only if the card shows all of it', async () => {
      const rules = [
        { toolName: 'Bash', ruleContent: `echo ${'a'.repeat(400)}:*` },
        { toolName: 'Bash', ruleContent: 'curl:*' },
      ];
      const long = [{ toolName: 'Bash', ruleContent: `echo ${'a'.repeat(9_000)}; curl:*` }];
      const set = [
        described('r0', 'Bash', { command: 'ls' }, [{ ...RULE, rules }]),
        described('r1', 'Bash', { command: 'ls' }, [{ ...RULE, rules: long }]),
      ];
      await using stage = await openedCards(browser(), set);
      await stage.card('r0').getByRole('button', { name: 'Allow for session' }).waitFor();
      expect(await stage.card('r0').locator('.card-rules').innerText()).toContain('Bash(curl:*)');
      await stage.card('r1').getByRole('button', { name: 'Allow once' }).waitFor();
      expect(await stage.card('r1').getByRole('button', { name: 'Allow for session' }).count()).toBe(0);
    });

    it('[I-2] the card of a notebook names the notebook that would change', async () => {
      const input = { file_path: '/srv/harmless.ipynb', notebook_path: '/srv/real.ipynb', new_source: 'x = 1' };
      await using stage = await openedCards(browser(), [described('r0', 'NotebookEdit', input)]);
      expect(await stage.card('r0').locator('.diff-head .path').textContent()).toBe('/srv/real.ipynb');
    });

    it('[I-2, I-10] a plan hides nothing: definitions, titles and targets of links, cells, and the words beside a fence', async () => {
      const plan = [
        '1. Tidy the [docs](https://example.com/x "then alpha") and [this](./bravo.sh).',
        '[//]: # (then charlie)',
        '',
        '| step |\n| - |\n| tidy | delta |',
        '',
        '```sh echo\nls\n```',
      ].join('\n');
      await using stage = await openedCards(browser(), [planRequest('r0', plan, 1)]);
      const text = await stage.card('r0').locator('.card-body').innerText();
      for (const word of ['alpha', 'example.com/x', 'bravo.sh', 'charlie', 'delta', 'sh echo'])
        expect(text).toContain(word);
    });

    it('[I-4, I-11] joiners between letters that need none are visible', async () => {
      const set = [commandRequest('r0', 'git push origin ma\u200din\u200c && rm a\ufe0f', 1)];
      await using stage = await openedCards(browser(), set);
      await stage.person.see('git push origin ma⟦U+200D⟧in⟦U+200C⟧ && rm a⟦U+FE0F⟧');
    });
  });
}
