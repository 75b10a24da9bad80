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

/** Everything that can be done with a conversation, on the scripted CLI. */
export function actionsSuite(browser: () => Browser): void {
  describe('actions', () => {
    it('[I-2] sends a prompt with Enter and shows who sent it', async () => {
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

    it('[I-2] steers a running turn', async () => {
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

    it('[I-2] interrupts a running turn with a key', async () => {
      await using stage = await scene(talker());
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'slow work');
      await person.choose('slow work');
      await person.see('sleep 60');
      await person.page.keyboard.press('x');
      await person.page.locator('.result', { hasText: 'Interrupted in the inspector' }).waitFor();
      // Nothing else says so.
      expect(await person.page.locator('.entry', { hasText: /interrupted/i }).count()).toBe(1);
      await person.page.locator('.head', { hasText: 'Interrupted' }).waitFor();
    });

    it('[I-2] forks a conversation and shows the copy', async () => {
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
      await person.page
        .locator('.empty', { hasText: 'This copy contains all messages of “hello”' })
        .getByRole('link')
        .waitFor();
      await person.page.getByRole('textbox', { name: /prompt/i }).fill('in the copy');
      await person.page.keyboard.press('Enter');
      await person.see('You said something.');
    });

    it('[I-2] closes a session; its transcript stays', async () => {
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

    it('[I-2] takes back a prompt that waits behind the running turn', async () => {
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

    it('[I-2] says what to do when an action fails', async () => {
      await using stage = await scene(talker());
      await stage.session.send('hello').result();
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.choose('hello');
      await person.page.route(/actions/, (route) => route.abort());
      await person.page.getByRole('textbox', { name: /prompt/i }).fill('lost?');
      await person.page.keyboard.press('Enter');
      await person.see(/look before you try again/);
      expect(await person.page.getByRole('textbox', { name: /prompt/i }).inputValue()).toBe('lost?');
    });

    it('exports a conversation as Markdown and finds it by its text', async () => {
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
