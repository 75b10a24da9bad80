import { script } from '@coxswain/testkit';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { OpenedPage } from './opened-page.ts';
import { scene, send } from './scene.ts';
import { commandRequest, sampleStage } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

/** The texts on the page: list, transcript and details show everything once, and in words. */
export function readingSuite(browser: () => Browser): void {
  describe('reading', () => {
    it('[I-6] Escape ends a title search, and the page offers Enter for the transcripts', async () => {
      const server = new StagedServer(sampleStage(3, Date.now()));
      await using person = await OpenedPage.open(browser(), await server.start());
      await person.page.locator('.row').nth(2).waitFor();
      await person.typeAfter('/', 'zzzz');
      await person.see('No title matches. Enter searches all transcripts.');
      await person.page.keyboard.press('Escape');
      await person.page.locator('.row').nth(2).waitFor();
      expect(await person.page.getByRole('searchbox').inputValue()).toBe('');
      await server.stop();
    });

    it('[I-1] idle conversations are not counted as waiting', async () => {
      await using stage = await scene(script().otherwise((turn) => turn.say('Aye.')));
      await stage.session.send('hello').result();
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      const filter = (name: RegExp) => person.page.getByRole('button', { name });
      await filter(/^Idle 1$/).click();
      await person.page.locator('.row', { hasText: 'hello' }).waitFor();
      await filter(/^Waiting$/).click();
      await person.see('No conversation matches.');
    });

    it('[I-2] a denial is shown once, and a prompt once with the name of its sender', async () => {
      const agent = script()
        .onPrompt(/clean/, (turn) =>
          turn.useTool('Bash', { command: 'rm -rf build' }, { permission: 'ask' }).say('Kept.'),
        )
        .otherwise((turn) => turn.say('Aye.'));
      await using stage = await scene(agent);
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'clean up');
      await person.choose('clean up');
      await person.cardSettled();
      await person.page.getByRole('tab', { name: 'Timeline' }).click();
      await person.page
        .locator('.spans li', { hasText: 'Bash' })
        .locator('+ li', { hasText: 'waits for an answer' })
        .waitFor();
      await person.typeAfter('d', 'Keep it');
      await person.page.keyboard.press('Enter');
      await person.see('Kept.');
      await person.page.locator('.result').waitFor();
      await person.page.getByRole('textbox', { name: /prompt/i }).fill('thanks');
      await person.page.keyboard.press('Enter');
      await person.see('Aye.');
      await expect.poll(() => person.page.locator('.result').count()).toBe(2);
      const notes = person.page.locator('.entry-audit, .entry-warning, .entry-system');
      expect(await notes.allInnerTexts()).toEqual([
        expect.stringContaining('Claude Code'),
        'Denied in the inspector · Bash: rm -rf build: Keep it',
      ]);
      expect(await person.page.locator('.prompt', { hasText: 'thanks' }).innerText()).toContain('from the inspector');
    });

    it('[I-6] the deny form opens in view, even on the last card', async () => {
      const stage = sampleStage(3, Date.now());
      const command = Array.from({ length: 12 }, (_, line) => `echo ${line}`).join('\n');
      stage.approvals = ['a', 'b', 'c'].map((id) => commandRequest(id, command, Date.now()));
      const server = new StagedServer(stage);
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/needs`);
      await person.cardSettled();
      await person.page.getByRole('button', { name: 'Deny…' }).last().click();
      const button = person.page.getByRole('button', { name: 'Deny', exact: true });
      await expect.poll(async () => ((await button.boundingBox())?.y ?? 9_999) + 28).toBeLessThan(900);
      await server.stop();
    });

    it('[I-6] a window that becomes narrow shows the conversation, not its details', async () => {
      await using stage = await scene(script().otherwise((turn) => turn.say('Aye.')));
      await stage.session.send('hello').result();
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.choose('hello');
      await person.see('Conversation');
      await person.page.setViewportSize({ width: 390, height: 844 });
      await person.page.locator('.column-detail').waitFor({ state: 'hidden' });
      await person.see('Aye.');
      await person.page.setViewportSize({ width: 1440, height: 900 });
      await person.page.locator('.column-detail').waitFor();
    });
  });
}
