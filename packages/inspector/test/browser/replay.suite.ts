import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inMemoryCli, recording, script } from '@coxswain/testkit';
import { query } from 'coxswain';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/api.ts';
import { inspect } from '../../src/index.ts';
import { OpenedPage } from './opened-page.ts';
import { scene } from './scene.ts';
import { commandRequest, sampleStage, whole } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

const agent = () =>
  script().otherwise((turn) =>
    turn
      .say('First I look.')
      .useTool('Bash', { command: 'ls' }, { result: 'a.ts', durationMs: 1_300, permission: 'allow' })
      .say('Then I answer.'),
  );

/** Replays of recordings, with their original timing. */
export function replaySuite(browser: () => Browser): void {
  describe('replay', () => {
    it('[I-1] a recording is played with pause, speed and a slider', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'cox-replay-'));
      try {
        const file = join(folder, 'run.ndjson');
        await query('look', { transport: recording(file, { inner: inMemoryCli(agent()).transport }) }).text();
        await using inspector = await inspect([], { recordings: [file] });
        await using person = await OpenedPage.open(browser(), inspector.url);
        await person.choose('look');
        await person.see('Then I answer.');
        await replayPaused(person);
        const slider = person.page.getByRole('slider', { name: 'Moment of the recording' });
        const end = Number(await slider.getAttribute('max'));
        expect(end).toBeGreaterThanOrEqual(1_300);
        await slider.fill('0');
        await person.seeNot('Then I answer.');
        // At this moment of the recording, the call had run for a second, however long ago that was.
        await slider.fill(String(end - 150));
        await person.page.locator('.tool-line', { hasText: /ls.*1 s.*running/ }).waitFor();
        await person.seeNot('Then I answer.');
        await person.page.getByRole('combobox', { name: 'Speed' }).selectOption('16');
        await person.click('Play');
        await person.see('Then I answer.');
        await person.expectAccessible();
        await person.click('End the replay');
        await person.see('Then I answer.');
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });

    it('[I-1] an unreadable file offers no replay, and each file is named', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'cox-replay-'));
      try {
        await writeFile(join(folder, 'broken.ndjson'), '{"not": "a cassette"}\n');
        const quick = inMemoryCli(script().otherwise((turn) => turn.say('Aye.')));
        const tape = recording(join(folder, 'good.ndjson'), { inner: quick.transport });
        await query('row', { transport: tape }).text();
        await using inspector = await inspect([], { recordings: [folder] });
        await using person = await OpenedPage.open(browser(), inspector.url);
        await person.page.locator('.row', { hasText: 'row' }).getByText('good.ndjson').waitFor();
        await person.choose('broken.ndjson');
        await person.page.locator('.notice', { hasText: 'broken.ndjson:1' }).waitFor();
        expect(await person.page.getByRole('button', { name: 'Replay' }).count()).toBe(0);
        expect(await person.page.locator('.column-main').innerText()).not.toContain(folder);
        await person.choose('row');
        await person.page.getByRole('button', { name: 'Replay' }).first().waitFor();
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });

    it('[I-1] a recording of a run that failed is played', async () => {
      const failed = new URL('../../../testkit/test/fixtures/cassettes/error-result.2.1.325.ndjson', import.meta.url);
      await using inspector = await inspect([], { recordings: [fileURLToPath(failed)] });
      await using person = await OpenedPage.open(browser(), inspector.url);
      await person.page.locator('.filter', { hasText: 'Failed' }).click();
      await person.choose('Say hello.');
      await person.page.locator('.result', { hasText: 'the boat is full' }).waitFor();
      await replayPaused(person);
      await person.page.getByRole('slider', { name: 'Moment of the recording' }).fill('0');
      await person.seeNot(/the boat is full/);
    });

    it('a conversation of this process is played by the times of its entries', async () => {
      await using stage = await scene(agent());
      await stage.session.send('look').result();
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.choose('look');
      await replayPaused(person);
      await person.page.getByRole('slider').fill('0');
      await person.seeNot('Then I answer.');
      await person.page.keyboard.press('p');
      await person.see('Then I answer.');
    });

    it('[I-1] a replay pauses while its tab is hidden', async () => {
      const server = longStage();
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      await person.click('Replay');
      const slider = person.page.getByRole('slider', { name: 'Moment of the recording' });
      const moment = async (): Promise<number> => Number(await slider.inputValue());
      await expect.poll(moment).toBeGreaterThan(0);
      const before = await moment();
      // As if one minute passed between two frames.
      await person.page.evaluate(() => {
        const now = performance.now.bind(performance);
        performance.now = () => now() + 60_000;
      });
      await expect.poll(moment).toBeGreaterThan(before + 300);
      expect(await moment()).toBeLessThan(before + 30_000);
      await server.stop();
    });

    it('[I-1] a replay ends when a link leads to an entry, which is shown', async () => {
      const server = longStage();
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      await replayPaused(person);
      await person.page.getByRole('slider').fill('0');
      await person.seeNot('Stroke 12.');
      await person.page.getByRole('tab', { name: 'Timeline' }).click();
      await person.page.locator('.turn-head a').click();
      await person.see('Stroke 12.');
      await person.page.locator('.replay').waitFor({ state: 'detached' });
      await server.stop();
    });

    it('[I-1] a replay starts once, however often a person clicks before the server responds', async () => {
      const server = longStage();
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      let asked = 0;
      person.page.on('request', (request) => {
        if (request.url().includes('limit=1000')) asked++;
      });
      const answer = server.hold('limit=1000');
      await person.click('Replay');
      await answer.asked;
      await person.click('Replay');
      answer.release();
      await person.click('End the replay');
      await person.page.locator('.replay').waitFor({ state: 'detached' });
      expect(asked).toBe(1);
      await replayPaused(person);
      await server.stop();
    });

    it('[I-6] the slider of a replay is as wide as a phone', async () => {
      const server = longStage();
      const phone = { viewport: { width: 320, height: 568 }, hasTouch: true };
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`, phone);
      await person.click('More actions');
      await replayPaused(person);
      expect((await person.page.getByRole('slider').boundingBox())?.width).toBeGreaterThan(250);
      expect(await person.page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
      await server.stop();
    });

    it('[I-6] a replay continues when Escape closes a field', async () => {
      const server = longStage();
      server.stage.approvals = [commandRequest('r0', 'echo row', 0)];
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      const bar = person.page.locator('.replay');
      await replayPaused(person);
      await person.cardSettled();
      await person.typeAfter('d', 'No');
      await person.page.keyboard.press('Escape');
      await person.page.locator('.card form').waitFor({ state: 'detached' });
      expect(await bar.count()).toBe(1);
      await person.typeAfter('/', 'row');
      await person.page.keyboard.press('Escape');
      await person.page.locator('input:focus').waitFor({ state: 'detached' });
      expect(await bar.count()).toBe(1);
      await person.click('More actions');
      await person.click('Rename');
      await person.page.getByLabel('New title').press('Escape');
      await person.page.getByLabel('New title').waitFor({ state: 'detached' });
      expect(await bar.count()).toBe(1);
      await person.page.keyboard.press('Escape');
      await bar.waitFor({ state: 'detached' });
      await server.stop();
    });
  });
}

/** A conversation of three minutes, with a turn that starts at its entry 12. */
function longStage(): StagedServer {
  const now = Date.now();
  const stage = { ...sampleStage(1, now), approvals: [] };
  const text = stage.entry('c0', 3);
  const turns = stage.turns('c0').map((turn) => ({ ...turn, firstEntry: 12 }));
  return new StagedServer({
    ...stage,
    total: () => 20,
    turns: () => turns,
    entry: (_, n) => ({ ...text, n, at: now + n * 9_000, text: whole(`Stroke ${n}.`) }) as Entry,
  });
}

/** Starts a replay and pauses it at once, or at its end: a short one may end before a click arrives. */
async function replayPaused(person: OpenedPage): Promise<void> {
  await person.click('Replay');
  await person.page.waitForFunction(() => {
    const pause = document.querySelector<HTMLElement>('.replay [aria-label="Pause"]');
    pause?.click();
    const slider = document.querySelector<HTMLInputElement>('.replay input[type="range"]');
    return pause !== null || (slider !== null && slider.value === slider.max);
  });
}
