import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { script } from '@coxswain/testkit';
import type { Browser } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OpenedPage } from './opened-page.ts';
import { scene, send } from './scene.ts';

const LINES = Array.from({ length: 120 }, (_, at) => `const line${at} = measure(${at});`);
const CHANGED = LINES.map((line, at) => ([10, 60, 110].includes(at) ? line.replace('measure', 'weigh') : line));

async function folder(files: Readonly<Record<string, string>>): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'inspector-diffs-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content);
  return path;
}

const asking = (tool: string, input: Record<string, string | boolean>) =>
  script().otherwise((turn) => turn.useTool(tool, input, { permission: 'ask', result: 'ok' }).say('Changed.'));

/** Diffs of edits, before and after they run. */
export function diffsSuite(browser: () => Browser): void {
  describe('diffs', () => {
    it('[I-8] a diff of 3 changed lines of 120 shows +3 −3, line numbers and changed words, before and after the edit', async () => {
      const cwd = await folder({ 'boat.ts': `${['// A boat.', ...LINES].join('\n')}\n` });
      const edit = { file_path: join(cwd, 'boat.ts'), old_string: LINES.join('\n'), new_string: CHANGED.join('\n') };
      await using stage = await scene(asking('Edit', edit), { cwd });
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'edit it');
      await person.cardSettled();
      const diff = person.page.locator('.card .diff');
      expect(await diff.locator('.diff-head .numbers').innerText()).toBe('+3 −3');
      expect(await diff.locator('.diff-removed .diff-number').allInnerTexts()).toEqual(['12', '62', '112']);
      expect(await diff.locator('.diff-added .diff-word').allInnerTexts()).toEqual(['weigh', 'weigh', 'weigh']);
      expect(await diff.locator('.diff-removed .diff-word').allInnerTexts()).toEqual(['measure', 'measure', 'measure']);
      expect(await diff.locator('.diff-gap').allInnerTexts()).toEqual([
        '⋯ 8 unchanged lines',
        '⋯ 43 unchanged lines',
        '⋯ 43 unchanged lines',
      ]);
      await person.page.keyboard.press('a');
      await person.see(/Allowed once: Edit/);
      await person.choose('edit it');
      await person.page.locator('.tool-line', { hasText: 'Edit' }).click();
      const ended = person.page.locator('.tool-open .diff');
      expect(await ended.locator('.diff-head .numbers').innerText()).toBe('+3 −3');
      expect(await ended.locator('.diff-added .diff-word').allInnerTexts()).toEqual(['weigh', 'weigh', 'weigh']);
    });

    it('[I-8] a card shows how many changes it hides, and allowing by key or click shows them first', async () => {
      const cwd = await folder({});
      const content = Array.from({ length: 60 }, (_, at) => `line ${at}`).join('\n');
      await using stage = await scene(asking('Write', { file_path: join(cwd, 'new.ts'), content }), { cwd });
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      for (const [prompt, allow] of [
        ['by key', () => person.page.keyboard.press('a')],
        ['by click', () => person.click('Allow once')],
      ] as const) {
        const turn = stage.session.send(prompt);
        await person.cardSettled();
        const card = person.page.locator('.card');
        await card.getByText('new file').waitFor();
        await card.getByText('Hidden: 36 changed lines. Allowing shows this first.').waitFor();
        // All visible parts are in view without scrolling inside the card.
        const [inner, outer] = await card
          .locator('.diff-lines')
          .evaluate((box) => [box.scrollHeight, box.clientHeight]);
        expect(inner).toBe(outer);
        await allow();
        await card.locator('.diff-added').nth(59).waitFor();
        await person.see(/Nothing was allowed yet: the card was hiding 36 changed lines/);
        expect(stage.session.pendingPermissions()).toHaveLength(1);
        await person.cardSettled();
        await allow();
        await card.waitFor({ state: 'detached' });
        await turn.result();
        expect(stage.session.pendingPermissions()).toHaveLength(0);
      }
    });

    it('[I-8] a command with a folded end is shown in full before it is allowed', async () => {
      const command = [...Array.from({ length: 40 }, (_, at) => `echo ${at}`), 'rm -rf build'].join('\n');
      await using stage = await scene(asking('Bash', { command }));
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'run it');
      await person.cardSettled();
      const code = person.page.locator('.card .code');
      expect(await code.innerText()).not.toContain('rm -rf build');
      await person.page.locator('.card-hidden').waitFor();
      await person.page.keyboard.press('a');
      await code.getByText('rm -rf build').waitFor();
      expect(stage.session.pendingPermissions()).toHaveLength(1);
      await person.cardSettled();
      await person.page.keyboard.press('a');
      await person.see(/Allowed once: Bash/);
    });

    it('[I-2, I-8] a long command shown in full still marks the empty lines that would hide its end', async () => {
      const command = `echo ${'a'.repeat(21_000)}${'\n'.repeat(500)}rm -rf build`;
      await using stage = await scene(asking('Bash', { command }));
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'run it');
      await person.cardSettled();
      await person.page.keyboard.press('a');
      const code = person.page.locator('.card .code');
      await code.getByText('⟦499 empty lines⟧').waitFor();
      // Includes content that is scrolled out of view and not painted.
      expect(await code.locator('pre').textContent()).toMatch(/empty lines⟧\nrm -rf build$/);
      expect(stage.session.pendingPermissions()).toHaveLength(1);
    });

    for (const colorScheme of ['light', 'dark'] as const) {
      it(`[I-6, I-8] marked words violate no axe rule, ${colorScheme}`, async () => {
        const edit = { file_path: '/srv/a.ts', old_string: LINES.join('\n'), new_string: CHANGED.join('\n') };
        await using stage = await scene(asking('Edit', edit));
        await using person = await OpenedPage.open(browser(), stage.inspector.url, { colorScheme });
        send(stage.session, 'edit it');
        await person.cardSettled();
        await person.expectAccessible();
      });
    }
  });
}
