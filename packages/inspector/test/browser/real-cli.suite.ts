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
    it('[I-2] allows, denies, edits, answers and allows for the session on Claude Code', async () => {
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
  });
}
