import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { script } from '@coxswain/testkit';
import { openSession } from 'coxswain';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { inspect } from '../../src/index.ts';
import { FakeFleet } from '../sources/fake-fleet.ts';
import { OpenedPage } from './opened-page.ts';
import { scene, send } from './scene.ts';
import { sampleStage, toolCall, whole } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

const PLAN = '# Add a store\n\n1. Write the *interface*.\n2. Implement it.';

/** Texts of the page that depend on the state of a conversation. */
export function plainFactsSuite(browser: () => Browser): void {
  describe('plain facts', () => {
    it('[I-10] a plan is shown once, as Markdown, with its heading in the row', async () => {
      const agent = script().otherwise((turn) => turn.useTool('ExitPlanMode', { plan: PLAN }).say('I begin.'));
      await using stage = await scene(agent);
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'plan it');
      await person.choose('plan it');
      const row = person.page.locator('.entry-tool');
      await row.getByText('Add a store').waitFor();
      await person.cardSettled();
      expect(await person.page.locator('.card .markdown li').count()).toBe(2);
      await person.click('Approve plan');
      await person.see('I begin.');
      await row.getByRole('button').click();
      await row.locator('.markdown li em', { hasText: 'interface' }).waitFor();
      await person.page.locator('.panel .markdown li').first().waitFor();
      expect(await person.page.locator('.entry-tool .tool-open').innerText()).not.toContain('# Add');
    });

    it('[I-10] an output that repeats the plan is not shown beside it', async () => {
      const server = new StagedServer({ ...sampleStage(1, Date.now()), approvals: [] });
      const call = toolCall({ name: 'ExitPlanMode', argument: 'Add a store', plan: whole(PLAN) });
      const result = whole(`User has approved your plan.\n\n## Approved Plan:\n${PLAN}`);
      server.stage.total = () => 1;
      server.stage.entry = () => ({ n: 0, at: 0, turn: 't1', parent: null, depth: 0, ...call, result });
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      await person.page.locator('.tool-line').click();
      await person.page.locator('.tool-open .markdown').waitFor();
      expect(await person.page.locator('.tool-open').innerText()).not.toMatch(/Approved Plan|# Add/);
      await server.stop();
    });

    it('[I-10] a link into a finished conversation counts no entry as new', async () => {
      const server = new StagedServer({ ...sampleStage(8, Date.now()), approvals: [] });
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c4/3`);
      const toEnd = person.page.locator('.to-end');
      await toEnd.getByText('To the end').waitFor();
      server.push({ type: 'entry', conversation: 'c4', entry: { ...server.stage.entry('c4', 2), n: 14 } });
      await toEnd.getByText('1 new').waitFor();
      await server.stop();
    });

    it('[I-10] keys after a click into the transcript draw no ring around the column', async () => {
      const server = new StagedServer({ ...sampleStage(8, Date.now()), approvals: [] });
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c4`);
      await person.page.locator('.answer p').first().click();
      await person.page.keyboard.press('g');
      const style = await person.page.locator('.scroller:focus-visible').evaluate((element) => {
        const { outlineStyle, boxShadow } = getComputedStyle(element);
        return { outlineStyle, boxShadow };
      });
      expect(style.outlineStyle).toBe('none');
      expect(style.boxShadow).toMatch(/3px 0px 0px 0px inset/);
      await server.stop();
    });

    it('[I-10] the empty page of a fleet names the command that submits a turn', async () => {
      await using inspector = await inspect(new FakeFleet());
      await using person = await OpenedPage.open(browser(), inspector.url);
      await person.see(/cox.* fleet submit|cli fleet submit/);
      expect(await person.page.locator('.shell').innerText()).not.toContain('cli run');
    });

    it('[I-10] resuming without a CLI is refused with one sentence and keeps the conversation', async () => {
      const configDir = await mkdtemp(join(tmpdir(), 'cox-page-no-cli-'));
      try {
        const folder = join(configDir, 'projects', '-boat');
        await mkdir(folder, { recursive: true });
        const file = join(folder, `${STORED.sessionId}.jsonl`);
        await writeFile(file, `${JSON.stringify(STORED)}\n`);
        // A file that has just grown belongs to another process.
        await utimes(file, new Date(STORED.timestamp), new Date(STORED.timestamp));
        const open = ({ resume }: { resume: string }) => openSession({ resume, cli: '/nowhere/claude' });
        await using inspector = await inspect([], { disk: { configDir, open } });
        await using person = await OpenedPage.open(browser(), inspector.url);
        await person.choose('Repair the oar');
        await person.click('More actions');
        await person.click('Resume');
        const toast = person.page.locator('.toast', { hasText: 'Claude Code is not installed on this machine' });
        await toast.waitFor();
        expect((await toast.innerText()).trim()).not.toContain('\n');
        await person.page.locator('.head h2', { hasText: 'Repair the oar' }).waitFor();
        await expect.poll(() => person.page.locator('.row').count()).toBe(1);
      } finally {
        await rm(configDir, { recursive: true, force: true });
      }
    });

    it('[I-10] the plots work in a browser whose locale is no language tag', async () => {
      const server = new StagedServer(sampleStage(8, Date.now()));
      await using person = await OpenedPage.open(browser(), 'about:blank');
      await person.page.addInitScript(
        "Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix', configurable: true })",
      );
      await person.page.goto(`${await server.start()}#/costs`);
      await person.page.locator('.uplot canvas').first().waitFor();
      await server.stop();
    });
  });
}

/** The only line of a transcript. */
const STORED = {
  parentUuid: null,
  isSidechain: false,
  type: 'user',
  message: { role: 'user', content: 'Repair the oar' },
  uuid: '00000000-0000-4000-8000-000000000000',
  timestamp: '2026-11-16T10:00:00Z',
  sessionId: '11111111-2222-4333-8444-555555555555',
  cwd: '/boat',
};
