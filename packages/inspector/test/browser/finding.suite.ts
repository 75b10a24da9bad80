import { inMemoryCli, script } from '@coxswain/testkit';
import { openSession } from 'coxswain';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { inspect } from '../../src/index.ts';
import { oneOnDisk, SESSION } from './on-disk.ts';
import { OpenedPage } from './opened-page.ts';
import { scene } from './scene.ts';
import { sampleStage } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

const DAY_MS = 86_400_000;
/** Noon, so that no test runs on two days. */
const NOON = new Date().setHours(12, 0, 0, 0);

const rower = script().otherwise((turn) =>
  turn
    .say('The rate is unknown at the start.')
    .useTool(
      'Edit',
      { file_path: '/srv/rowing/src/rate.ts', old_string: 'a', new_string: 'b' },
      { permission: 'allow' },
    )
    .useTool('Bash', { command: 'cat src/rate.ts' }, { permission: 'allow' })
    .say('Done.'),
);

/** The list of conversations, and ways to find one. */
export function findingSuite(browser: () => Browser): void {
  describe('finding', () => {
    it('[I-16] a row has folder, model and dollars or tokens, and the list is grouped by day', async () => {
      const server = new StagedServer({ ...sampleStage(4, NOON), approvals: [] });
      const stamped = server.stage.conversations.map((each, at) => ({
        ...each,
        state: at === 0 ? each.state : ('done' as const),
        updatedAt: NOON - ([0, 0, DAY_MS, 400 * DAY_MS][at] ?? 0),
      }));
      const last = stamped.at(-1);
      if (last) stamped.splice(3, 1, { ...last, cost: { ...last.cost, usd: 0 } });
      server.stage.conversations = stamped;
      await using person = await OpenedPage.open(browser(), await server.start());
      const rows = person.page.locator('.row');
      await rows.nth(3).waitFor();
      const days = await person.page.locator('.rows-day').allInnerTexts();
      expect(days.slice(0, 3)).toEqual(['Needs you', 'Today', 'Yesterday']);
      expect(days[3]).toMatch(/^\w{3},? \d+ \w{3,4} \d{4}$/);
      expect(await rows.nth(1).innerText()).toMatch(/rowing · opus-4-6\s+\$0\.0368/);
      expect(await rows.nth(3).innerText()).toMatch(/tokens$/);
      await person.expectAccessible();
      await server.stop();
    });

    it('[I-16] hits are grouped by conversation, with folder and date; filters are in the address and survive a reload', async () => {
      await using stage = await scene(rower, { cwd: '/srv/rowing' });
      await stage.session.send('fix the rate').result();
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.page.locator('.row').waitFor();
      await person.typeAfter('/', 'file:RATE.ts tool:edit after:today project:rowing');
      await person.page.keyboard.press('Enter');
      await person.see('1 result in 1 conversation');
      // The query is not also a filter of the titles.
      await person.page.locator('.row', { hasText: 'fix the rate' }).waitFor();
      await person.page.reload();
      await person.see('1 result in 1 conversation');
      const head = person.page.locator('.hits-head');
      expect(await head.innerText()).toMatch(/^fix the rate\s+\/srv\/rowing\s+\d\d:\d\d:\d\d$/);
      expect(await person.page.locator('.hits a').innerText()).toMatch(
        /Edit \/srv\/rowing\/src\/rate\.ts\s+The rate is unknown at the start\.$/,
      );
      await person.expectAccessible();
      const field = person.page.getByRole('searchbox', { name: 'Search transcripts' });
      await field.fill('rate after:tomorrow');
      await field.press('Enter');
      await person.see('after: needs a date such as');
      await field.fill('rate project:sailing');
      await field.press('Enter');
      await person.see('No results.');
      await field.fill('tool:Edit');
      await field.press('Enter');
      await person.page.locator('.hits a').click();
      await person.page.locator('.entry[data-selected="true"]', { hasText: 'rate.ts' }).waitFor();
    });

    it('[I-16] Ctrl+K goes to a conversation, a view, or a search, from anywhere', async () => {
      await using stage = await scene(rower, { cwd: '/srv/rowing' });
      await stage.session.send('fix the rate').result();
      await using person = await OpenedPage.open(browser(), `${stage.inspector.url}`);
      await person.page.locator('.row').waitFor();
      const choices = person.page.getByRole('option');
      const open = async (text: string): Promise<void> => {
        await person.page.keyboard.press('Control+k');
        await person.page.getByRole('combobox').fill(text);
      };
      await open('fix');
      await choices.filter({ hasText: 'fix the rate' }).first().waitFor();
      await person.expectAccessible();
      await person.page.keyboard.press('Enter');
      await person.page.locator('.head h2', { hasText: 'fix the rate' }).waitFor();
      await open('cos');
      await choices.filter({ hasText: 'Costs' }).waitFor();
      await person.page.keyboard.press('Enter');
      await person.page.locator('.head h2', { hasText: 'Costs' }).waitFor();
      await open('unknown at');
      await expect.poll(() => choices.count()).toBe(1);
      await person.page.keyboard.press('ArrowDown');
      await person.page.keyboard.press('Enter');
      await person.page.locator('.hits mark', { hasText: 'unknown at' }).waitFor();
      await person.page.keyboard.press('Control+k');
      await person.page.keyboard.press('Escape');
      await person.page.locator('.palette').waitFor({ state: 'detached' });
    });

    it('[I-16] a link to a conversation survives its resume and a restart of the server', async () => {
      const configDir = await oneOnDisk();
      const agent = script()
        .sessions(SESSION)
        .otherwise((turn) => turn.say('Where were we?'));
      const { transport } = inMemoryCli(agent);
      const open = ({ resume, forkSession }: { resume: string; forkSession: boolean }) =>
        openSession({ resume, forkSession, transport });
      const options = { disk: { configDir, open }, token: 'a token for the test', port: 0 };
      const first = await inspect([], options);
      const { origin, port } = new URL(first.url);
      await using person = await OpenedPage.open(browser(), first.url);
      await person.choose('Repair the oar');
      const link = `${origin}/#/c/${SESSION}`;
      expect(person.page.url()).toBe(link);
      await person.page.getByRole('textbox', { name: 'Continue this conversation' }).fill('Go on');
      await person.page.keyboard.press('Enter');
      await person.see('Where were we?');
      expect(person.page.url()).toBe(link);
      await person.page.reload();
      await person.see('Where were we?');
      await first.close();
      await person.see(/Connection lost/);
      await using second = await inspect([], { ...options, port: Number(port) });
      await person.page.locator('.head', { hasText: 'Repair the oar' }).waitFor();
      await person.page.getByRole('textbox', { name: 'Continue this conversation' }).waitFor();
      expect(person.page.url()).toBe(link);
      // Links of before the session was named.
      await person.page.goto(`${second.url.split('#')[0]}#/c/d-${SESSION}`);
      await person.page.locator('.head', { hasText: 'Repair the oar' }).waitFor();
    });
  });
}
