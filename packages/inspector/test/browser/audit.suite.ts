import { inMemoryCli, script, type TurnScript } from '@coxswain/testkit';
import { allow, openSession } from 'coxswain';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { askInspector, inspect } from '../../src/index.ts';
import { FakeFleet } from '../sources/fake-fleet.ts';
import { OpenedPage } from './opened-page.ts';
import { send } from './scene.ts';

const REQUEST = {
  ...{ kind: 'tool' as const, toolName: 'Bash' as const, suggestions: [], raw: {} },
  input: { command: 'npm publish' },
};

/** Who was asked, and who answered. */
export function auditSuite(browser: () => Browser): void {
  describe('audit', () => {
    it('[I-17] shows who was asked, and who answered from where and when: page, program, a terminal of a fleet, nobody yet', async () => {
      const asking = (command: string) => (turn: TurnScript) =>
        turn.useTool('Bash', { command }, { permission: 'ask' }).say('Done.');
      const agent = script().onPrompt(/one/, asking('echo one')).onPrompt(/two/, asking('echo two'));
      const { transport } = inMemoryCli(agent);
      await using session = openSession({ transport, canUseTool: askInspector() });
      const fleet = new FakeFleet();
      await using inspector = await inspect([session, fleet]);
      await using person = await OpenedPage.open(browser(), inspector.url, { reducedMotion: 'reduce' });
      const row = (text: string) => person.page.locator('.audit tbody tr', { hasText: text });
      send(session, 'one');
      await person.cardSettled();
      await person.click('Allow once');
      await session.idle();
      send(session, 'two');
      await person.cardSettled();
      const [pending] = session.pendingPermissions();
      await session.answerPermission(pending?.id ?? '', allow());
      await session.idle();
      await person.page.goto(`${inspector.url.split('#')[0]}#/home`);
      await person.page.getByRole('link', { name: 'Audit' }).click();
      const turn = fleet.add('ann', 'Make the release');
      fleet.ask(turn.id, 'ann', { ...REQUEST, id: 'r1' });
      await row('npm publish').getByRole('link', { name: 'waits' }).waitFor();
      expect(await row('npm publish').innerText()).toContain('release');
      await fleet.seen('a-r1', { by: 'eve', from: 'cox on dock' });
      await fleet.answer('a-r1', { decision: 'deny', reason: 'No.' }, { by: 'bob', hash: '', from: 'cox on pier' });
      await row('npm publish').getByText('denied by bob').waitFor();
      expect((await person.page.locator('.audit tbody tr').allInnerTexts()).map(inOneLine)).toEqual([
        expect.stringMatching(/^Bash: npm publish ann \S+ release, seen by eve denied by bob cox on pier \S+ after /),
        expect.stringMatching(/^Bash: echo two one \S+ anyone here allowed program \S+ after /),
        expect.stringMatching(/^Bash: echo one one \S+ anyone here allowed by local page \S+ after /),
      ]);
      await person.expectAccessible();
      for (const width of [320, 768]) {
        await person.page.setViewportSize({ width, height: 800 });
        expect(await person.page.evaluate(() => document.querySelector('.audit')?.scrollWidth)).toBeLessThanOrEqual(
          width,
        );
        await person.expectAccessible();
      }
    });
  });
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
