import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { OpenedPage } from './opened-page.ts';
import { commandRequest, sampleStage } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

/** What an open page keeps over time: lost connections, restarted servers, conversations that come and go. */
export function lastingSuite(browser: () => Browser): void {
  describe('lasting', () => {
    it('[I-2] does not decide another request by what is typed on after a request is gone', async () => {
      const server = quiet(2);
      server.stage.approvals = [commandRequest('a1', 'make one', 1), commandRequest('a2', 'make two', 2)];
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/needs`);
      await person.cardSettled();
      await person.typeAfter('d', 'No, ');
      server.push({ type: 'approval-answered', answered: { id: 'a1', decision: 'allow', by: 'Ann', at: 0 } });
      await person.page.locator('[data-approval="a1"]').waitFor({ state: 'detached' });
      // Someone types on for longer than a request takes no keys.
      await person.page.keyboard.type('as a day', { delay: 100 });
      expect(server.posts).toEqual([]);
      await server.stop();
    });

    it('[I-2] keeps what is typed while a prompt is being sent', async () => {
      const server = quiet(1);
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      const field = person.page.locator('.composer textarea');
      await field.fill('The first');
      const held = server.hold('/actions');
      await field.press('Enter');
      await held.asked;
      await field.fill('The second');
      held.release();
      await expect.poll(() => person.page.getByRole('button', { name: /^Steer$/ }).isEnabled()).toBe(true);
      expect(await field.inputValue()).toBe('The second');
      await server.stop();
    });
  });
}

/** A server with so many conversations and no requests. */
function quiet(conversations: number): StagedServer {
  const stage = sampleStage(conversations, Date.now());
  stage.approvals = [];
  return new StagedServer(stage);
}
