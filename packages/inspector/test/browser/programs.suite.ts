import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inMemoryCli, script } from '@coxswain/testkit';
import { openSession } from 'coxswain';
import type { Browser } from 'playwright-core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { inspect } from '../../src/index.ts';
import { OpenedPage } from './opened-page.ts';

/** The programs of this user with an open inspector. */
export function programsSuite(browser: () => Browser): void {
  describe('programs', () => {
    it('[I-1, I-6] a page lists programs, opens one on a click, and removes one that has closed', async () => {
      const runtime = await mkdtemp(join(tmpdir(), 'coxswain-test-'));
      vi.stubEnv('XDG_RUNTIME_DIR', runtime);
      vi.stubEnv('TMPDIR', runtime);
      onTestFinished(async () => {
        vi.unstubAllEnvs();
        await rm(runtime, { recursive: true });
      });
      const { transport } = inMemoryCli(script().otherwise((turn) => turn.say('Aye.')));
      await using session = openSession({ transport, title: 'Moor the boat' });
      await using program = await inspect(session, { name: 'harbour' });
      const quay = await inspect([], { name: 'quay' });
      await using list = await inspect([], { programs: true, announce: false });
      await using person = await OpenedPage.open(browser(), 'about:blank', { reducedMotion: 'reduce' });
      await person.page.clock.install();
      await person.page.goto(list.url);
      const programs = person.page.getByRole('region', { name: 'Running programs' });
      await programs.getByRole('button', { name: 'quay' }).waitFor();
      await person.expectAccessible();
      await quay.close();
      // The page polls every 5 s.
      await person.page.clock.fastForward(5_000);
      await programs.getByRole('button', { name: 'quay' }).waitFor({ state: 'detached' });
      await programs.getByRole('button', { name: 'harbour' }).click();
      await person.page.locator('.row', { hasText: 'Moor the boat' }).waitFor();
      const { origin, hash } = new URL(person.page.url());
      expect([origin, hash]).toEqual([new URL(program.url).origin, '#/']);
    });
  });
}
