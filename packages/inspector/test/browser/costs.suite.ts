import { script } from '@coxswain/testkit';
import type { Browser, Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { OpenedPage } from './opened-page.ts';
import { scene } from './scene.ts';
import { sampleStage } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

/** What something costs, and why. */
export function costsSuite(browser: () => Browser): void {
  describe('costs', () => {
    for (const width of [320, 1440]) {
      it(`[I-13] the lines of every table add up to the same total, ${width} px`, async () => {
        const server = new StagedServer(sampleStage(8, Date.now()));
        const viewport = { viewport: { width, height: 900 } };
        await using person = await OpenedPage.open(browser(), `${await server.start()}#/costs`, viewport);
        for (const by of ['conversation', 'model', 'tool', 'project']) {
          const table = person.page.getByRole('group', { name: `By ${by}`, exact: true });
          await table.waitFor();
          const total = await dollarsIn(table.locator('tfoot td').last());
          const lines = await table.locator('tbody tr td:last-child').all();
          let sum = 0;
          for (const line of lines) sum += await dollarsIn(line);
          expect(total).toBeCloseTo(server.stage.stats.total.usd, 0);
          // Amounts are rounded to cents or dollars.
          expect(Math.abs(sum - total)).toBeLessThan(lines.length);
        }
        await person.expectAccessible();
        expect(await person.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        await server.stop();
      });
    }

    it('[I-13] a range is fetched and named', async () => {
      const server = new StagedServer(sampleStage(8, Date.now()));
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/costs`);
      await person.see(/in 30 days/);
      const asked = person.page.waitForRequest(/api\/stats\?days=7$/);
      await person.click('7 days');
      await asked;
      await person.see(/in 7 days/);
      expect(await person.page.getByRole('button', { name: '7 days' }).getAttribute('aria-pressed')).toBe('true');
      await server.stop();
    });

    it('[I-13] costs from list prices are marked, with the day of the prices', async () => {
      const server = new StagedServer({ ...sampleStage(8, Date.now()), approvals: [] });
      const { stats } = server.stage;
      server.stage.stats = { ...stats, total: { ...stats.total, estimated: 1 } };
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/costs`);
      await person.see(/≈ is computed from list prices of 2026-11-18/);
      await person.page.locator('.head-note', { hasText: /^≈\$/ }).waitFor();
      await server.stop();
    });

    it('[I-13] a session names the tool that costs; what is not in a turn is a line of its own', async () => {
      const agent = script()
        .onPrompt(/tidy/, (turn) =>
          turn.useTool('Bash', { command: 'ls' }, { permission: 'allow' }).say('Done.').result({ costUsd: 0.5 }),
        )
        .otherwise((turn) => turn.say('Fine.').result({ costUsd: 0.25 }));
      await using stage = await scene(agent);
      await stage.session.send('tidy up').result();
      await using person = await OpenedPage.open(browser(), `${stage.inspector.url}`);
      await person.page.getByRole('link', { name: 'Costs' }).click();
      const tools = person.page.getByRole('group', { name: 'By tool', exact: true });
      await tools.getByText('Bash').waitFor();
      expect(await dollarsIn(tools.locator('tfoot td').last())).toBe(0.5);
      await tools.getByText('no tool').waitFor();
    });

    it('[I-13] the turns of a conversation and the work between them add up to its cost', async () => {
      const server = new StagedServer({ ...sampleStage(8, Date.now()), approvals: [] });
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c1`);
      await person.page.getByRole('tab', { name: 'Cost' }).click();
      await person.page.locator('.panel .turn-cost', { hasText: 'Background work' }).getByText('$0.0184').waitFor();
      await person.page.locator('.panel .turn-cost', { hasText: 'One test' }).getByText('$0.0184').waitFor();
      await person.page.locator('.panel tfoot').getByText('$0.0368').waitFor();
      await server.stop();
    });
  });
}

async function dollarsIn(cell: Locator): Promise<number> {
  const text = await cell.innerText();
  return text === '–' ? 0 : Number(text.replace(/[^0-9.]/g, ''));
}
