import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inMemoryCli, script } from '@coxswain/testkit';
import { openSession } from 'coxswain';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { inspect } from '../../src/index.ts';
import { OpenedPage } from './opened-page.ts';

const ID = '11111111-2222-4333-8444-555555555555';

/** Conversations on disk. */
export function diskSuite(browser: () => Browser): void {
  describe('conversations on disk', () => {
    it('[I-2] a conversation on disk is renamed, and resumed with the next prompt', async () => {
      const configDir = await mkdtemp(join(tmpdir(), 'cox-page-disk-'));
      try {
        const folder = join(configDir, 'projects', '-boat');
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, `${ID}.jsonl`), `${JSON.stringify(line())}\n`);
        const { transport } = inMemoryCli(
          script()
            .sessions(ID)
            .otherwise((turn) => turn.say('Where were we?')),
        );
        const open = ({ resume, forkSession }: { resume: string; forkSession: boolean }) =>
          openSession({ resume, forkSession, transport });
        await using inspector = await inspect([], { disk: { configDir, open } });
        await using person = await OpenedPage.open(browser(), inspector.url);
        await person.choose('Repair the oar');
        await person.page.locator('.prompt', { hasText: 'Repair the oar' }).waitFor();
        // Its cost is unknown, so none is shown.
        expect(await person.page.locator('.shell').innerText()).not.toContain('$');
        await person.click('More actions');
        await person.click('Rename');
        await person.page.getByLabel('New title').fill('The oar');
        await person.page.keyboard.press('Enter');
        await person.page.locator('.head h2', { hasText: 'The oar' }).waitFor();
        await person.page.getByRole('textbox', { name: 'Continue this conversation' }).fill('Go on');
        await person.page.keyboard.press('Enter');
        await person.see('Where were we?');
        await person.page.locator('.prompt', { hasText: 'Go on' }).waitFor();
      } finally {
        await rm(configDir, { recursive: true, force: true });
      }
    });
  });
}

function line(): object {
  return {
    parentUuid: null,
    isSidechain: false,
    type: 'user',
    message: { role: 'user', content: 'Repair the oar' },
    uuid: '00000000-0000-4000-8000-000000000000',
    timestamp: '2026-11-16T10:00:00Z',
    sessionId: ID,
    cwd: '/boat',
  };
}
