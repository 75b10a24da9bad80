import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/api.ts';
import { OpenedPage } from './opened-page.ts';
import { commandRequest, entryOf, sampleStage, whole } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

/** An open page over time: lost connections, restarted servers, conversations that are added and removed. */
export function lastingSuite(browser: () => Browser): void {
  describe('lasting', () => {
    it('[I-1] an open conversation stays if it is not on the first page of a restarted server', async () => {
      const server = quiet(300);
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c250`);
      await person.page.locator('.head h2', { hasText: '(250)' }).waitFor();
      await server.restart();
      await live(person);
      // The page has processed the snapshot.
      await push(server, person, 'c3');
      await person.page.locator('.head h2', { hasText: '(250)' }).waitFor();
      await person.page.locator('.tool-line', { hasText: 'Read' }).waitFor();
      await server.stop();
    });

    it('[I-1] an open conversation that was removed is reported, and shown again when it exists again', async () => {
      const server = quiet(8);
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      await person.page.locator('.tool-line', { hasText: 'Read' }).waitFor();
      const [gone] = server.stage.conversations.splice(0, 1);
      server.push({ type: 'conversation-removed', conversation: 'c0' });
      await person.see('This conversation cannot be shown');
      if (gone) server.stage.conversations.push(gone);
      if (gone) server.push({ type: 'conversation', conversation: gone });
      await person.page.locator('.tool-line', { hasText: 'Read' }).waitFor();
      await server.stop();
    });

    it('[I-1] an open conversation that a restarted server does not have is reported as removed', async () => {
      const server = quiet(8);
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      await person.page.locator('.tool-line', { hasText: 'Read' }).waitFor();
      server.stage.conversations.splice(0, 1);
      // Its row goes with the snapshot, which has all conversations: the server need not be asked first.
      const held = Array.from({ length: 9 }, () => server.hold('conversations/c0'));
      await server.restart();
      await live(person);
      await push(server, person, 'c3');
      expect(await person.page.locator('.row').count()).toBe(7);
      for (const { release } of held) release();
      await person.see('This conversation cannot be shown');
      await server.stop();
    });

    it('[I-1] a transcript that could not be read while the connection was lost is read again', async () => {
      const server = quiet(8);
      await using person = await OpenedPage.open(browser(), await server.start());
      await person.page.locator('.row').first().waitFor();
      await server.stop();
      await person.page.locator('.row').first().click();
      await person.see('The transcript cannot be read');
      await server.start();
      await person.page.locator('.tool-line', { hasText: 'Read' }).waitFor();
      await server.stop();
    });

    it('[I-1] entries that were scrolled to while the connection was lost are loaded afterwards', async () => {
      const server = quiet(1);
      server.stage.total = () => 2_000;
      server.stage.entry = (_id, n) => message(n, `Message ${n}`);
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      await person.see('Message 1999');
      await server.stop();
      await person.see(/Connection lost/);
      await person.page.keyboard.press('g');
      await person.page.locator('[data-row="0"] .entry-missing').waitFor({ state: 'attached' });
      await server.start();
      await person.page.locator('.answer', { hasText: /^Message 0$/ }).waitFor();
      await server.stop();
    });

    it('[I-1] a finished answer stays when a late response contains only a part of it', async () => {
      const server = quiet(1);
      const text = (words: string, streaming: boolean): Entry => message(0, words, streaming);
      let current = text('One', true);
      server.stage.total = () => 1;
      server.stage.entry = () => current;
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      await person.see('One');
      current = text('One two', true);
      const held = server.hold('entries?from=0&limit=1');
      // This delta fits neither text, whichever of them the page has now.
      server.push({ type: 'delta', conversation: 'c0', n: 0, offset: 13, text: ' four' });
      await held.asked;
      current = text('One two three four', false);
      server.push({ type: 'entry', conversation: 'c0', entry: current });
      await person.see('One two three four');
      const answered = person.page.waitForResponse(/entries\?from=0&limit=1$/);
      held.release();
      await (await answered).finished();
      await push(server, person, 'c0');
      await person.see('One two three four');
      expect(await person.page.locator('.streaming').count()).toBe(0);
      await server.stop();
    });

    it('[I-1] changes between the first fetch of a transcript and the first event are not lost', async () => {
      const server = quiet(1);
      let current = message(0, 'Before');
      server.stage.total = () => 1;
      server.stage.entry = () => current;
      const held = server.hold('entries?');
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      await held.asked;
      current = message(0, 'After');
      await person.page.locator('.row').waitFor();
      held.release();
      await person.see('After');
      await server.stop();
    });

    it('[I-1] a turn that ended while another conversation was open is shown as ended', async () => {
      const server = quiet(3);
      const [turn] = server.stage.turns('c0');
      if (turn === undefined) throw new Error('The stage has a turn.');
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      await person.page.getByRole('tab', { name: 'Timeline' }).click();
      const running = { ...turn, id: 'live', title: 'Row on', endedAt: null, outcome: null };
      server.stage.turns = () => [running];
      server.push({ type: 'turn', conversation: 'c0', turn: running });
      const shown = person.page.locator('.turns li', { hasText: 'Row on' });
      await shown.getByText('running').waitFor();
      await person.page.locator('.row').nth(1).click();
      await person.page.locator('.head h2', { hasText: 'Review' }).waitFor();
      server.stage.turns = () => [{ ...running, endedAt: running.startedAt + 5_000, outcome: 'completed' }];
      await person.page.goBack();
      await shown.getByText('Done').waitFor();
      await server.stop();
    });

    it('[I-1] the details of a selected entry are updated after a snapshot, however far away the entry is', async () => {
      const server = quiet(1);
      let words = 'Before';
      server.stage.total = () => 2_000;
      server.stage.entry = (_id, n) => message(n, n === 3 ? words : `Message ${n}`);
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0/3`);
      const detail = person.page.getByRole('tabpanel');
      await detail.getByRole('group', { name: 'Text' }).getByText('Before').waitFor();
      await person.page.keyboard.press('G');
      await person.see('Message 1999');
      words = 'After';
      server.push(server.snapshot());
      await detail.getByRole('group', { name: 'Text' }).getByText('After').waitFor();
      await server.stop();
    });

    it('[I-6] a link leads to another entry of the same conversation, and the history leads back', async () => {
      const server = quiet(1);
      server.stage.total = () => 2_000;
      server.stage.entry = (_id, n) => message(n, `Message ${n}`);
      const url = `${await server.start()}#/c/c0`;
      await using person = await OpenedPage.open(browser(), `${url}/1500`);
      const selected = (n: number) =>
        person.page.locator('.entry[data-selected="true"]', { hasText: `Message ${n}` }).waitFor();
      await selected(1_500);
      await person.page.goto(`${url}/300`);
      await selected(300);
      await person.page.goBack();
      await selected(1_500);
      await server.stop();
    });

    it('[I-6] a link whose entry is not a number shows the end of the conversation', async () => {
      const server = quiet(1);
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0/NaN`);
      await person.page.locator('.tool-line', { hasText: 'Read' }).waitFor();
      await server.stop();
    });

    it('[I-2] text typed after a request was removed does not decide another request', async () => {
      const server = quiet(2);
      server.stage.approvals = [commandRequest('a1', 'make one', 1), commandRequest('a2', 'make two', 2)];
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/needs`);
      await person.cardSettled();
      await person.typeAfter('d', 'No, ');
      server.push({
        type: 'approval-answered',
        answered: { id: 'a1', conversation: 'c0', decision: 'allow', by: 'Ann', at: 0 },
      });
      await person.page.locator('[data-approval="a1"]').waitFor({ state: 'detached' });
      // The person keeps typing for longer than a new card ignores keys.
      await person.page.keyboard.type('as a day', { delay: 100 });
      expect(server.posts).toEqual([]);
      await server.stop();
    });

    it('[I-2] text typed while a prompt is being sent is kept', async () => {
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

/** A server with this number of conversations and without requests. */
function quiet(conversations: number): StagedServer {
  const stage = sampleStage(conversations, Date.now());
  stage.approvals = [];
  return new StagedServer(stage);
}

function message(n: number, text: string, streaming = false): Entry {
  return entryOf(n, n * 1_000, { kind: 'text', text: whole(text), model: null, streaming });
}

async function live(person: OpenedPage): Promise<void> {
  await person.see(/Connection lost/);
  await person.seeNot(/Connection lost/);
}

/** Resolves when the page has processed all events so far. */
async function push(server: StagedServer, person: OpenedPage, id: string): Promise<void> {
  const conversation = server.stage.conversations.find((each) => each.id === id);
  if (conversation === undefined) throw new Error(`The stage has no ${id}.`);
  server.push({ type: 'conversation', conversation: { ...conversation, title: `Taken ${id}` } });
  await person.page.locator('.row', { hasText: `Taken ${id}` }).waitFor();
}
