import { script } from '@coxswain/testkit';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { OpenedPage } from './opened-page.ts';
import { scene, send } from './scene.ts';

const talker = () =>
  script()
    .onPrompt(/slow/, (turn) =>
      turn
        .say('Working …')
        .useTool('Bash', { command: 'sleep 60' }, { durationMs: 60_000, permission: 'allow' })
        .say('Slept.'),
    )
    .onPrompt(/hurry/, (turn) => turn.say('I hurry.'))
    .otherwise((turn) => turn.say('You said something.').result({ costUsd: 0.01 }));

/** All actions on a conversation, with the scripted CLI. */
export function actionsSuite(browser: () => Browser): void {
  describe('actions', () => {
    it('[I-2] Enter sends a prompt, which shows its sender', async () => {
      await using stage = await scene(talker());
      await stage.session.send('hello').result();
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.choose('hello');
      await person.typeAfter('i', 'What now?');
      await person.page.keyboard.press('Enter');
      await person.page.locator('.prompt', { hasText: 'What now?' }).waitFor();
      await expect.poll(() => person.page.locator('.answer', { hasText: 'You said something.' }).count()).toBe(2);
      expect(await person.page.getByRole('textbox', { name: /prompt/i }).inputValue()).toBe('');
    });

    it('[I-2] the input steers a running turn', async () => {
      await using stage = await scene(talker());
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'slow work');
      await person.choose('slow work');
      await person.see('sleep 60');
      await person.page.getByRole('textbox', { name: /Steer/ }).fill('hurry up');
      const sent = person.page.waitForRequest(/actions/);
      await person.click('Steer');
      expect((await sent).postDataJSON()).toEqual({ action: 'steer', text: 'hurry up' });
      await person.page.locator('.prompt', { hasText: 'hurry up' }).waitFor();
    });

    it('[I-2] a key interrupts a running turn', async () => {
      await using stage = await scene(talker());
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'slow work');
      await person.choose('slow work');
      await person.see('sleep 60');
      await person.page.keyboard.press('x');
      await person.page.locator('.result', { hasText: 'Interrupted in the inspector' }).waitFor();
      // No other entry shows it.
      expect(await person.page.locator('.entry', { hasText: /interrupted/i }).count()).toBe(1);
      await person.page.locator('.head', { hasText: 'Interrupted' }).waitFor();
    });

    it('[I-2] forking a conversation shows the copy', async () => {
      await using stage = await scene(talker());
      await stage.session.send('hello').result();
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.choose('hello');
      const before = person.page.url();
      await person.click('More actions');
      await person.click('Fork');
      await expect.poll(() => person.page.url()).not.toBe(before);
      await person.see('This is the forked copy.');
      await person.page.locator('.head h2', { hasText: 'Fork of hello' }).waitFor();
      // This CLI stores no transcript: the messages are those that the page has shown.
      await person.page.locator('.prompt', { hasText: 'hello' }).waitFor();
      await person.page.locator('.answer', { hasText: 'You said something.' }).waitFor();
      await person.page.getByRole('textbox', { name: /prompt/i }).fill('in the copy');
      await person.page.keyboard.press('Enter');
      await expect.poll(() => person.page.locator('.answer', { hasText: 'You said something.' }).count()).toBe(2);
    });

    it('[I-2] closing a session keeps its transcript', async () => {
      await using stage = await scene(talker());
      await stage.session.send('hello').result();
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.choose('hello');
      await person.click('More actions');
      await person.click('Close the session');
      await person.see('Really close it?');
      expect(stage.session.state).not.toBe('closed');
      await person.click('Really close it?');
      await person.page.locator('.head', { hasText: 'Done' }).waitFor();
      await person.see('You said something.');
    });

    it('[I-2] a prompt that waits behind the running turn can be cancelled', async () => {
      await using stage = await scene(talker());
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'slow work');
      await person.choose('slow work');
      await person.see('sleep 60');
      await person.page.getByRole('textbox', { name: /Steer/ }).fill('changed my mind');
      await person.click('Send next');
      await person.click('More actions');
      await person.click('Cancel the waiting turn');
      await person.see('Cancelled.');
      await person.page.keyboard.press('x');
      await person.page.locator('.head', { hasText: 'Interrupted' }).waitFor();
      expect(stage.runs()[0]?.prompts).toEqual(['slow work']);
    });

    it('[I-2] a failed action shows what to do', async () => {
      await using stage = await scene(talker());
      await stage.session.send('hello').result();
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.choose('hello');
      await person.page.route(/actions/, (route) => route.abort());
      await person.page.getByRole('textbox', { name: /prompt/i }).fill('lost?');
      await person.page.keyboard.press('Enter');
      await person.see(/check before you try again/);
      expect(await person.page.getByRole('textbox', { name: /prompt/i }).inputValue()).toBe('lost?');
    });

    it('a conversation is exported as Markdown and found by its text', async () => {
      await using stage = await scene(talker());
      await stage.session.send('hello').result();
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.choose('hello');
      await person.click('More actions');
      const downloading = person.page.waitForEvent('download');
      await person.page.getByRole('link', { name: 'Export as Markdown' }).click();
      expect((await downloading).suggestedFilename()).toMatch(/\.md$/);
      await person.typeAfter('/', 'said something');
      await person.page.keyboard.press('Enter');
      await person.page.locator('.hits mark', { hasText: 'said something' }).click();
      await person.see('You said something.');
    });
  });
}
