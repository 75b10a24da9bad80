import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startFakeApi, text, toolUse } from '@coxswain/testkit';
import { openSession } from 'coxswain';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { isolatedHome } from '../../../../conformance/harness/isolated-home.ts';
import { realCli } from '../../../../conformance/harness/real-cli.ts';
import { askInspector, inspect } from '../../src/index.ts';
import { OpenedPage } from './opened-page.ts';
import { QUESTION, send } from './scene.ts';

/** Approvals on the real CLI, offline. */
export function realCliSuite(browser: () => Browser): void {
  describe('the real CLI', () => {
    it('[I-2] requests of Claude Code are allowed, denied, edited, answered and allowed for the session', async () => {
      await using api = await startFakeApi([
        [toolUse('Bash', { command: 'echo one > one.txt' })],
        [toolUse('Bash', { command: 'echo two > two.txt' })],
        [toolUse('Bash', { command: 'echo three > three.txt' })],
        [toolUse('AskUserQuestion', { questions: [QUESTION] })],
        [toolUse('Write', { file_path: 'four.txt', content: 'four' })],
        [toolUse('Write', { file_path: 'five.txt', content: 'five' })],
        text('All done.'),
      ]);
      await using home = await isolatedHome(api.url);
      const file = (name: string): string => join(home.project, name);
      await writeFile(file('seen.txt'), '');
      await using session = openSession({
        cli: realCli(),
        cwd: home.project,
        env: home.env(),
        configDir: home.configDir,
        includePartialMessages: true,
        canUseTool: askInspector(),
        allowPermissionUpdates: true,
      });
      await using inspector = await inspect(session);
      await using person = await OpenedPage.open(browser(), inspector.url);
      send(session, 'make files');
      await person.see('echo one > one.txt');
      await person.cardSettled();
      await person.click('Allow once');
      await person.see('echo two > two.txt');
      await person.cardSettled();
      await person.typeAfter('d', 'not two');
      await person.page.keyboard.press('Enter');
      await person.see('echo three > three.txt');
      await person.cardSettled();
      await person.page.keyboard.press('e');
      await person.page.getByLabel(/as JSON/).fill('{ "command": "echo edited > three.txt" }');
      await person.click('Allow with this input');
      await person.see('Which boat?');
      await person.cardSettled();
      await person.page.getByLabel(/Single/).check();
      await person.click('Answer');
      await person.see('Write wants to run');
      await person.cardSettled();
      await person.page.keyboard.press('s');
      await person.choose('make files');
      await person.see('All done.');
      expect(await readFile(file('one.txt'), 'utf8')).toBe('one\n');
      await expect(readFile(file('two.txt'))).rejects.toThrow();
      expect(await readFile(file('three.txt'), 'utf8')).toBe('edited\n');
      expect(await readFile(file('five.txt'), 'utf8')).toBe('five');
      const results = api.conversation
        .flatMap((request) => request.toolResults)
        .map((result) => JSON.stringify(result));
      expect(results.some((result) => result.includes('not two'))).toBe(true);
      expect(results.some((result) => result.includes('Single'))).toBe(true);
    });

    it('[I-8] an edit of Claude Code shows the same line numbers before and after it runs', async () => {
      const lines = ['bow', 'two', 'three', 'four', 'five', 'six', 'seven', 'stroke'];
      const path = (project: string): string => join(project, 'crew.txt');
      await using home = await isolatedHome('http://127.0.0.1:9');
      await writeFile(path(home.project), lines.map((seat) => `${seat}: an old rower\n`).join(''));
      const edit = { file_path: path(home.project), old_string: 'six: an old', new_string: 'six: a new' };
      await using api = await startFakeApi([
        [toolUse('Read', { file_path: path(home.project) })],
        [toolUse('Edit', edit)],
        text('All done.'),
      ]);
      await using session = openSession({
        ...{ cli: realCli(), cwd: home.project, configDir: home.configDir, includePartialMessages: true },
        env: home.env({ ANTHROPIC_BASE_URL: api.url }),
        canUseTool: askInspector(),
      });
      await using inspector = await inspect(session);
      await using person = await OpenedPage.open(browser(), inspector.url);
      const shown = async (within: string): Promise<object> => {
        const diff = person.page.locator(`${within} .diff`);
        await diff.waitFor();
        return {
          size: await diff.locator('.diff-head .numbers').innerText(),
          numbers: await diff.locator('.diff-number').allInnerTexts(),
          words: await diff.locator('.diff-word').allInnerTexts(),
        };
      };
      send(session, 'edit the crew');
      await person.see('Edit wants to run');
      await person.cardSettled();
      const before = await shown('.card');
      const numbers = ['3', '4', '5', '6', '6', '7', '8'];
      expect(before).toEqual({ size: '+1 −1', numbers, words: ['an old', 'a new'] });
      await person.page.keyboard.press('a');
      await person.choose('edit the crew');
      await person.see('All done.');
      await person.page.locator('.tool-line', { hasText: 'Edit' }).click();
      expect(await shown('.tool-open')).toEqual(before);
      expect(await readFile(path(home.project), 'utf8')).toContain('six: a new rower');
    });
  });
}
