import { script } from '@coxswain/testkit';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { inspect } from '../../src/index.ts';
import { OpenedPage } from './opened-page.ts';
import { scene, send } from './scene.ts';
import { sampleStage } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

const ANSWER = `The **rate** is \`NaN\` at the start${', and so on'.repeat(30)}.`;

/** The page while agents work, after a reload and after a lost connection. */
export function liveSuite(browser: () => Browser): void {
  describe('live', () => {
    it('[I-1] a conversation shows state, model, cost and the answer while it streams', async () => {
      const agent = script()
        .onPrompt(/slowly/, (turn) => turn.think('Hm.').say(ANSWER, { everyMs: 250 }))
        .otherwise((turn) => turn.say(ANSWER).result({ costUsd: 0.0184 }));
      await using stage = await scene(agent.model('claude-sonnet-4-5-20250929'));
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'Explain it slowly');
      await person.choose('Explain it slowly');
      await person.page.locator('.answer.streaming strong', { hasText: 'rate' }).waitFor();
      await stage.session.interrupt();
      send(stage.session, 'Why is the rate zero?');
      await person.page.locator('.row', { hasText: '$0.0184' }).waitFor();
      await person.page.locator('.answer:not(.streaming) code', { hasText: 'NaN' }).last().waitFor();
      const row = await person.page.locator('.row').innerText();
      expect(row).toMatch(/Idle/);
      expect(row).toMatch(/sonnet-4-5/);
    });

    it('[I-1] a transcript is complete after a reload, at the same position', async () => {
      const agent = script().otherwise((turn) =>
        turn.say(ANSWER).useTool('Bash', { command: 'date' }, { result: 'Sun', permission: 'allow' }),
      );
      await using stage = await scene(agent);
      await stage.session.send('first').result();
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.choose('first');
      await person.page.locator('.tool-line', { hasText: 'date' }).click();
      await person.see('Sun');
      expect(person.page.url()).toMatch(/#\/c\/[^/]+\/\d+$/);
      expect(person.page.url()).not.toContain('token');
      await person.page.reload();
      await person.page.locator('.answer strong', { hasText: 'rate' }).waitFor();
      await person.page.locator('.entry[data-selected="true"]', { hasText: 'date' }).waitFor();
    });

    it('[I-1] without a connection, the page reports it and stays readable; it catches up when the server is reachable again', async () => {
      const server = new StagedServer(sampleStage(3, Date.now()));
      const url = await server.start();
      await using person = await OpenedPage.open(browser(), `${url}#/c/c0`);
      await person.see(/create_pull_request/);
      await server.stop();
      await person.see(/Connection lost/);
      await person.see(/create_pull_request/);
      await server.start();
      await person.seeNot(/Connection lost/);
      const [first] = server.stage.conversations;
      if (first) server.push({ type: 'conversation', conversation: { ...first, title: 'Renamed meanwhile' } });
      await person.see('Renamed meanwhile');
      await server.stop();
    });

    it('[I-1] after a restart of the server, the page shows the conversations of the new process', async () => {
      const agent = script().otherwise((turn) => turn.say('Hello.'));
      const options = { token: 'a-token-of-16-chars-or-more' };
      const stage = await scene(agent, {}, options);
      const { port } = stage.inspector;
      send(stage.session, 'before the restart');
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.choose('before the restart');
      await stage[Symbol.asyncDispose]();
      await person.see(/Connection lost/);
      await using again = await scene(agent, {}, { ...options, port });
      send(again.session, 'after the restart');
      await person.page.locator('.row', { hasText: 'after the restart' }).waitFor();
      expect(await person.page.locator('.row', { hasText: 'before the restart' }).count()).toBe(0);
    });

    it('[I-1] a transcript follows new entries at its end, and does not scroll when the reader has scrolled up', async () => {
      const long = Array.from({ length: 60 }, (_, at) => `Line ${at}`).join('\n\n');
      const agent = script()
        .onPrompt(/long/, (turn) => turn.say(long))
        .otherwise((turn) => turn.say('And one more.').say('And another.'));
      await using stage = await scene(agent);
      await stage.session.send('long').result();
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.choose('long');
      await person.see('Line 59');
      const scroller = person.page.locator('.scroller');
      await scroller.hover();
      await person.page.mouse.wheel(0, -900);
      await person.see(/To the end/);
      const top = await scroller.evaluate((element) => element.scrollTop);
      send(stage.session, 'more');
      await person.see(/\d+ new ↓/);
      expect(await scroller.evaluate((element) => element.scrollTop)).toBe(top);
      await person.click(/new ↓/);
      await person.seeNot(/↓/);
      await person.see('And another.');
    });

    it('[I-1] a transcript is complete on a slow machine, too', async () => {
      const words = Array.from({ length: 1_500 }, (_, at) => `w${at}`).join(' ');
      const agent = script()
        .onPrompt(/again/, (turn) => turn.say(`SECOND ${words} THE END`))
        .otherwise((turn) => turn.say('FIRST'));
      await using stage = await scene(agent);
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await stage.session.send('go').result();
      await person.choose('go');
      await person.see('FIRST');
      const driver = await person.page.context().newCDPSession(person.page);
      await driver.send('Emulation.setCPUThrottlingRate', { rate: 10 });
      send(stage.session, 'again');
      const answer = person.page.locator('.answer', { hasText: 'SECOND' });
      await expect.poll(() => answer.innerText(), { timeout: 45_000 }).toBe(`SECOND ${words} THE END`);
    });

    it('[I-1] the page works behind a base path', async () => {
      await using inspector = await inspect([], { basePath: '/tools/inspector' });
      await using person = await OpenedPage.open(browser(), inspector.url);
      await person.see('No agents yet');
      await person.page.goto(`${person.page.url().split('#')[0]}#/costs`);
      await person.see('Cost per day');
    });

    it('[I-4] the page asks for a missing token, and accepts the whole URL', async () => {
      await using inspector = await inspect([]);
      await using person = await OpenedPage.open(browser(), inspector.url.split('#')[0] ?? '');
      await person.page.getByLabel('Address or token').fill('http://127.0.0.1/#token=wrong-token-of-some-length');
      await person.click('Open');
      await person.page.getByRole('alert').waitFor();
      await person.page.getByLabel('Address or token').fill(inspector.url);
      await person.click('Open');
      await person.see('No agents yet');
    });

    it('[I-4] the page reports a wrong token in the URL', async () => {
      await using inspector = await inspect([]);
      await using person = await OpenedPage.open(browser(), `${inspector.url.split('#')[0]}#token=an-old-token-of-it`);
      await person.page.getByRole('alert').getByText('no longer').waitFor();
    });
  });
}
