import { script } from '@coxswain/testkit';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { OpenedPage } from './opened-page.ts';
import { QUESTION, scene, send } from './scene.ts';
import { commandRequest, sampleStage } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

const asking = (input = { command: 'npm publish' }) =>
  script()
    .onPrompt(/publish/, (turn) =>
      turn.useTool('Bash', input, { result: 'published', permission: 'ask' }).say('It is out.'),
    )
    .otherwise((turn) => turn.say('Nothing to do.'));

/** Approvals from the page, on the scripted CLI. */
export function approvalsSuite(browser: () => Browser): void {
  describe('approvals', () => {
    it('[I-2] one click allows a tool once', async () => {
      await using stage = await scene(asking());
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'publish it');
      await person.see('1 needs you');
      await person.see('npm publish');
      await person.cardSettled();
      await person.click('Allow once');
      await person.seeNot('1 needs you');
      await person.choose('publish it');
      await person.see('It is out.');
      expect(stage.runs()[0]?.tools).toMatchObject([{ name: 'Bash', outcome: 'ran' }]);
    });

    it('[I-2] a request that was shown in the list of all requests can be answered in its conversation', async () => {
      await using stage = await scene(asking());
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'publish it');
      await person.cardSettled();
      await person.choose('publish it');
      await person.page.locator('.dock .card').waitFor();
      await person.cardSettled();
      await person.click('Allow once');
      await person.see('It is out.');
    });

    it('[I-2] "Always allow" accepts the rule that the card shows', async () => {
      await using stage = await scene(asking(), { allowPermissionUpdates: true });
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'publish it');
      await person.see('Bash(npm publish)');
      await person.cardSettled();
      const answered = person.page.waitForRequest(/approvals/);
      await person.click('Always');
      expect((await answered).postDataJSON()).toEqual({ decision: 'allow', scope: 'always' });
      await person.see('Always allowed: Bash npm publish, for “publish it”');
      await person.seeNot('1 needs you');
    });

    it('[I-2] rules and modes are offered only if the program lets answers change permissions; otherwise the page explains it', async () => {
      await using stage = await scene(asking());
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'publish it');
      await person.cardSettled();
      const names = await person.page.locator('.card .card-buttons .button').allInnerTexts();
      expect(names.map((name) => name.split(/\s/)[0])).toEqual(['Allow', 'Deny…', 'Edit…']);
      expect(await person.page.locator('.card-rules').count()).toBe(0);
      await person.page.keyboard.press('s');
      await person.see('Nothing was done: this request can only be allowed once.');
      expect(stage.session.pendingPermissions()).toHaveLength(1);
      await person.page.keyboard.press('a');
      await person.see('Allowed once: Bash npm publish, for “publish it”');
    });

    it('[I-2] a failed answer shows its reason, and the request stays until one succeeds', async () => {
      await using stage = await scene(asking());
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'publish it');
      await person.cardSettled();
      const error = { code: 'failed', message: 'The agent could not be reached.' };
      await person.page.route(/api\/approvals/, (route) => route.fulfill({ status: 502, json: { error } }));
      await person.page.keyboard.press('a');
      await person.page.getByRole('status').getByText(error.message).waitFor();
      await person.see('1 needs you');
      await person.page.unroute(/api\/approvals/);
      await person.page.keyboard.press('a');
      await person.seeNot('1 needs you');
      expect(stage.session.pendingPermissions()).toEqual([]);
    });

    it('[I-2] a request is denied by keyboard alone, and the model receives the reason', async () => {
      await using stage = await scene(asking());
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'publish it');
      await person.cardSettled();
      await person.typeAfter('d', 'Not on a Friday');
      await person.page.keyboard.press('Enter');
      await person.seeNot('1 needs you');
      await person.choose('publish it');
      await person.page.locator('.tool-line', { hasText: 'Bash' }).click();
      await person.see(/Not on a Friday/);
      await person.see('refused');
    });

    it('[I-2] a tool runs with the edited input', async () => {
      await using stage = await scene(asking());
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'publish it');
      await person.cardSettled();
      await person.page.keyboard.press('e');
      const field = person.page.getByLabel(/as JSON/);
      await field.fill('{ "command": ');
      await person.see(/not JSON yet/);
      await field.fill('{ "command": "npm publish --dry-run" }');
      await person.click('Allow with this input');
      await person.seeNot('1 needs you');
      expect(stage.runs()[0]?.tools[0]).toMatchObject({ input: { command: 'npm publish --dry-run' } });
    });

    it('[I-2] edits can be allowed for the session', async () => {
      const edit = { file_path: '/srv/a.ts', old_string: 'a', new_string: 'b' };
      const agent = script().otherwise((turn) => turn.useTool('Edit', edit, { permission: 'ask' }).say('Edited.'));
      await using stage = await scene(agent, { allowPermissionUpdates: true });
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'edit');
      await person.cardSettled();
      await person.page.locator('.card .diff-added', { hasText: 'b' }).waitFor();
      await person.page.keyboard.press('s');
      await person.seeNot('1 needs you');
      await person.choose('edit');
      await person.see('Edited.');
    });

    it('[I-2] a question is answered and a plan approved', async () => {
      const agent = script()
        .onPrompt(/boat/, (turn) =>
          turn.useTool('AskUserQuestion', { questions: [QUESTION] }, { permission: 'ask' }).say('Fine.'),
        )
        .otherwise((turn) =>
          turn.useTool('ExitPlanMode', { plan: '# Steps\n\n1. Row' }, { permission: 'ask' }).say('Rowing.'),
        );
      await using stage = await scene(agent);
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'a boat');
      await person.cardSettled();
      await person.page.getByLabel(/Eight/).check();
      const answered = person.page.waitForRequest(/approvals/);
      await person.click('Answer');
      expect((await answered).postDataJSON()).toEqual({ decision: 'answer', answers: { 'Which boat?': 'Eight' } });
      await person.seeNot('1 needs you');
      send(stage.session, 'a plan');
      await person.see('A plan to approve');
      await person.page.getByRole('heading', { name: 'Steps' }).waitFor();
      await person.cardSettled();
      await person.click('Approve plan');
      await person.choose('a boat');
      await person.see('Rowing.');
    });

    it('[I-2] a card ignores keys in its first 300 ms', async () => {
      await using stage = await scene(asking());
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.pressOnceCardsAre(1, 'a');
      send(stage.session, 'publish it');
      await person.cardSettled();
      expect(stage.session.pendingPermissions()).toHaveLength(1);
      await person.page.keyboard.press('a');
      await person.seeNot('1 needs you');
      expect(stage.session.pendingPermissions()).toHaveLength(0);
    });

    it('[I-2] a card ignores keys in the first 300 ms after its tab is shown again', async () => {
      await using stage = await scene(asking());
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'publish it');
      await person.cardSettled();
      await person.page.evaluate(() => {
        document.dispatchEvent(new Event('visibilitychange'));
        document.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
      });
      await person.cardSettled();
      expect(stage.session.pendingPermissions()).toHaveLength(1);
      await person.page.keyboard.press('a');
      await person.seeNot('1 needs you');
    });

    it('[I-2] the first of two people decides, and the other is informed', async () => {
      await using stage = await scene(asking());
      await using first = await OpenedPage.open(browser(), stage.inspector.url);
      await using second = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'publish it');
      await Promise.all([first.cardSettled(), second.cardSettled()]);
      // The second page would learn of the first answer in a frame that never arrives: the server decides.
      await second.page.evaluate(() => {
        window.requestAnimationFrame = () => 0;
      });
      await first.click('Allow once');
      await first.seeNot('1 needs you');
      await second.click('Allow once');
      await second.see(/Bash: allowed/);
      expect(stage.runs()[0]?.tools).toHaveLength(1);
    });

    it('[I-2] a request that another person answered is removed, with the name of that person', async () => {
      await using stage = await scene(asking());
      await using first = await OpenedPage.open(browser(), stage.inspector.url);
      await using second = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'publish it');
      await Promise.all([first.cardSettled(), second.cardSettled()]);
      await first.click('Allow once');
      await second.see(/Bash: allowed by local/);
      await second.seeNot('1 needs you');
    });

    it('[I-5] read-only mode shows everything and offers no action', async () => {
      await using stage = await scene(asking(), {}, { readOnly: true });
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'publish it');
      await person.see('read-only');
      await person.cardSettled();
      await person.see(/cannot be answered from here/);
      expect(await person.page.getByRole('button', { name: /Allow|Deny|Always|Edit/ }).count()).toBe(0);
      for (const key of ['a', 'd', 'e']) await person.page.keyboard.press(key);
      await person.see(/read-only mode/);
      expect(await person.page.locator('.card form').count()).toBe(0);
      expect(stage.session.pendingPermissions()).toHaveLength(1);
      await stage.session.close();
    });

    it('[I-5] a question is readable in read-only mode and in the deny form', async () => {
      const ask = script().otherwise((turn) =>
        turn.useTool('AskUserQuestion', { questions: [QUESTION] }, { permission: 'ask' }),
      );
      for (const readOnly of [true, false]) {
        await using stage = await scene(ask, {}, { readOnly });
        await using person = await OpenedPage.open(browser(), stage.inspector.url);
        send(stage.session, 'ask');
        await person.cardSettled();
        if (!readOnly) await person.page.keyboard.press('d');
        const text = person.page.locator('.card-body', { hasText: 'Which boat?' });
        await text.getByText('eight rowers').waitFor();
        await stage.session.close();
      }
    });

    it('[I-2] chosen answers are kept when the deny form is opened and closed', async () => {
      const questions = [QUESTION, { ...QUESTION, question: 'Which lake?' }];
      const ask = script().otherwise((turn) =>
        turn.useTool('AskUserQuestion', { questions }, { permission: 'ask' }).say('Thanks.'),
      );
      await using stage = await scene(ask);
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'ask');
      await person.cardSettled();
      await person.page.getByLabel('Eight').first().check();
      await person.page.getByLabel('Another answer to: Which lake?').fill('The red one');
      await person.click('Deny…');
      await person.click('Back');
      expect(await person.page.getByLabel('Eight').first().isChecked()).toBe(true);
      const answered = person.page.waitForRequest(/approvals/);
      await person.click('Answer');
      const answers = { 'Which boat?': 'Eight', 'Which lake?': 'The red one' };
      expect((await answered).postDataJSON()).toEqual({ decision: 'answer', answers });
      await person.seeNot('1 needs you');
    });

    it('[I-2] one click or key decides one request, however fast the next one replaces it', async () => {
      const server = new StagedServer({ ...sampleStage(4, Date.now()), approvals: [] });
      const three = ['echo safe', 'rm -rf /srv', 'echo last'].map((command, at) =>
        commandRequest(`r${at}`, command, at),
      );
      server.stage.approvals = three;
      const url = await server.start();
      await using person = await OpenedPage.open(browser(), `${url}#/needs`);
      await person.cardSettled();
      const answered = (): string[] => server.posts.map(({ path }) => path.split('/').at(-1) ?? '');
      const cards = person.page.locator('.card');
      await cards.nth(0).getByRole('button', { name: 'Allow once' }).dblclick({ delay: 20 });
      await cards.nth(2).waitFor({ state: 'detached' });
      expect(answered()).toEqual(['r0']);
      // The keys act on the focused card.
      await person.cardSettled();
      await cards.nth(1).getByRole('button', { name: 'Deny…' }).click();
      await person.click('Back');
      expect(await person.page.locator('.card[data-marked="true"]').getAttribute('data-approval')).toBe('r2');
      // Another person is faster: the key meant for that card does not decide another one.
      await person.pressOnceCardsAre(1, 'a');
      server.push({
        type: 'approval-answered',
        answered: { id: 'r2', conversation: 'c0', decision: 'deny', by: 'ann', at: Date.now() },
      });
      await cards.nth(1).waitFor({ state: 'detached' });
      await person.cardSettled();
      expect(answered()).toEqual(['r0']);
      await person.page.keyboard.press('a');
      await cards.first().waitFor({ state: 'detached' });
      expect(answered()).toEqual(['r0', 'r1']);
      await server.stop();
    });

    it('[I-2] keys do not decide a request that a narrow page hides', async () => {
      const server = new StagedServer({ ...sampleStage(4, Date.now()), approvals: [] });
      server.stage.approvals = [commandRequest('r0', 'echo seen', 0)];
      const narrow = { viewport: { width: 390, height: 844 } };
      await using person = await OpenedPage.open(browser(), await server.start(), narrow);
      const pressAll = async (): Promise<void> => {
        // Waits until the card would take keys if it were in view.
        await person.page.evaluate(() => new Promise((settled) => setTimeout(settled, 350)));
        for (const key of ['a', 'e', 'd']) await person.page.keyboard.press(key);
      };
      await person.see('1 needs you');
      await pressAll();
      await person.page.locator('.row').first().click();
      await person.cardSettled();
      await person.click('Details');
      await pressAll();
      // One warning for all three keys, above the buttons.
      await person.click('Close this message');
      await person.click('Close the details');
      await person.click('Look at the conversation first');
      server.push({ type: 'approval', approval: commandRequest('r1', 'echo folded', 1) });
      await person.see('Answer 2 requests');
      await pressAll();
      expect(await person.page.locator('.card form').count()).toBe(0);
      expect(server.posts).toEqual([]);
      await person.click('Answer 2 requests');
      await person.cardSettled();
      await person.page.keyboard.press('a');
      await expect.poll(() => server.posts.map(({ path }) => path.split('/').at(-1))).toEqual(['r0']);
      await server.stop();
    });

    it('[I-2] an unfolded card ignores clicks in its first 300 ms', async () => {
      const server = new StagedServer({ ...sampleStage(4, Date.now()), approvals: [] });
      server.stage.approvals = [commandRequest('r0', 'echo folded', 0)];
      const narrow = { viewport: { width: 390, height: 844 } };
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`, narrow);
      await person.cardSettled();
      await person.click('Look at the conversation first');
      await person.see('Answer 1 request');
      await person.page.evaluate(async () => {
        await new Promise((settled) => setTimeout(settled, 350));
        document.querySelector<HTMLElement>('.fold-cards')?.click();
        await new Promise(requestAnimationFrame);
        const tap = new MouseEvent('click', { bubbles: true, detail: 1 });
        document.querySelector<HTMLElement>('.card .button-accent')?.dispatchEvent(tap);
      });
      await person.cardSettled();
      expect(server.posts).toEqual([]);
      await person.click('Allow once');
      await expect.poll(() => server.posts).toHaveLength(1);
      await server.stop();
    });

    it('[I-2, I-4] questions and commands crafted to break or hide content are shown and can be answered', async () => {
      const names = ['__proto__', 'constructor', 'constructor'];
      const questions = names.map((question) => ({ ...QUESTION, question }));
      const agent = script()
        .onPrompt(/hide/, (turn) =>
          turn.useTool(
            'Bash',
            { command: `echo${' '.repeat(3_000)}; rm -rf /srv`, sudo: 'yes' },
            { permission: 'ask' },
          ),
        )
        .otherwise((turn) => turn.useTool('AskUserQuestion', { questions }, { permission: 'ask' }).say('Thanks.'));
      await using stage = await scene(agent);
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      send(stage.session, 'ask');
      await person.cardSettled();
      for (const at of [0, 1, 2]) await person.page.getByLabel('Eight').nth(at).check();
      await person.click('Answer');
      await person.choose('ask');
      await person.see('Thanks.');
      await person.see(/__proto__ → Eight; constructor → Eight/);
      send(stage.session, 'hide it');
      const card = person.page.locator('.card');
      await card.getByText('echo ⟦3000 blanks⟧ ; rm -rf /srv').waitFor();
      expect(await card.locator('.card-fields').innerText()).toMatch(/sudo\s+yes/);
    });
  });
}
