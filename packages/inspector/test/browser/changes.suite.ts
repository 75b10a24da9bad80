import { script } from '@coxswain/testkit';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { OpenedPage } from './opened-page.ts';
import { scene } from './scene.ts';

const CWD = '/srv/rowing';

/** An agent that edits two files in two folders, one of them twice, and whose last edit is refused. */
const editing = script().otherwise((turn) =>
  turn
    .say('The rate divides **zero by zero**: it is unknown at the start.')
    .useTool('Edit', edit('src/rate.ts', 'strokes / seconds', 'rate(strokes)'), patched(12, '-  a / b', '+  rate(a)'))
    .say('A view shows it.')
    .useTool('Write', { file_path: `${CWD}/src/views/new.ts`, content: 'one\ntwo\nthree\n' }, { permission: 'allow' })
    .useTool('Edit', edit('src/views/new.ts', 'two', '2'), { permission: 'allow' })
    .say('Now it has a better name.')
    .useTool('Edit', edit('src/rate.ts', 'rate', 'pace'), patched(12, '-  rate(a)', '+  pace(a)'))
    .useTool('Edit', edit('src/denied.ts', 'a', 'b'), { permission: 'deny' })
    .say('Done.'),
);

function edit(file: string, before: string, after: string): Record<string, string> {
  return { file_path: `${CWD}/${file}`, old_string: before, new_string: after };
}

function patched(line: number, ...lines: readonly string[]) {
  const patch = { oldStart: line - 1, oldLines: 3, newStart: line - 1, newLines: 3, lines: [' {', ...lines, ' }'] };
  return { permission: 'allow' as const, output: { type: 'update', structuredPatch: [patch] } };
}

/** The files that a conversation has changed. */
export function changesSuite(browser: () => Browser): void {
  describe('changes', () => {
    it('[I-15] all edits are a file tree, with a merged diff per file and the message that explains each edit', async () => {
      await using stage = await scene(editing, { cwd: CWD });
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await stage.session.send('fix the rate').result();
      await person.choose('fix the rate');
      await person.page.getByRole('link', { name: 'Changes' }).click();
      await person.see('2 files · +4 −1');
      const { page } = person;
      expect(await page.locator('.changes-folder').allInnerTexts()).toEqual(['src', 'views']);
      expect(await page.locator('.changes-file code').allInnerTexts()).toEqual(['new.ts', 'rate.ts']);
      await page.locator('.changes-file', { hasText: 'rate.ts' }).click();
      await page.locator('.changes-head h3', { hasText: 'src/rate.ts' }).waitFor();
      expect(await page.locator('.changes-why').allTextContents()).toEqual([
        'The agent said: The rate divides zero by zero: it is unknown at the start.',
        'The agent said: Now it has a better name.',
      ]);
      await page.locator('.diff-removed').waitFor();
      const rows = await page.locator('.diff tr').allInnerTexts();
      expect(rows.map((row) => row.replace(/\s+/g, ' '))).toEqual([
        '⋯ 10 unchanged lines',
        '11 {',
        '12 − a / b',
        '12 + pace(a)',
        '13 }',
      ]);
      await person.expectAccessible();
      await page.locator('.changes-edit a').nth(1).click();
      await page.locator('.entry[data-selected="true"]', { hasText: 'rate.ts' }).waitFor();
    });

    it('[I-15] all changes, or those of one file, are copied as a patch', async () => {
      await using stage = await scene(editing, { cwd: CWD });
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await stage.session.send('fix the rate').result();
      await person.choose('fix the rate');
      await person.page.getByRole('link', { name: 'Changes' }).click();
      const copied = (): Promise<string> => person.page.evaluate(() => navigator.clipboard.readText());
      await person.click('Copy as patch');
      await expect
        .poll(copied)
        .toBe(
          [
            'diff --git a/src/rate.ts b/src/rate.ts',
            '--- a/src/rate.ts',
            '+++ b/src/rate.ts',
            '@@ -11,3 +11,3 @@',
            ...[' {', '-  a / b', '+  pace(a)', ' }'],
            'diff --git a/src/views/new.ts b/src/views/new.ts',
            'new file mode 100644',
            '--- /dev/null',
            '+++ b/src/views/new.ts',
            '@@ -0,0 +1,3 @@',
            ...['+one', '+2', '+three', ''],
          ].join('\n'),
        );
      await person.page.locator('.changes-head').getByRole('button', { name: 'Copy' }).click();
      await expect.poll(copied).not.toContain('new.ts');
      expect(await copied()).toMatch(/^diff --git a\/src\/rate\.ts b\/src\/rate\.ts\n/);
    });

    it('[I-15, I-6] a phone shows the files, then one of them', async () => {
      await using stage = await scene(editing, { cwd: CWD });
      const phone = { viewport: { width: 320, height: 568 } };
      await using person = await OpenedPage.open(browser(), stage.inspector.url, phone);
      await stage.session.send('fix the rate').result();
      await person.choose('fix the rate');
      await person.click('More actions');
      await person.page.getByRole('link', { name: 'Changes' }).filter({ visible: true }).click();
      await person.page.locator('.changes-file', { hasText: 'new.ts' }).click();
      await person.page.locator('.diff-added').first().waitFor();
      expect(await person.page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
      await person.expectAccessible();
      await person.page.getByRole('link', { name: 'All files' }).click();
      await person.page.locator('.changes-file', { hasText: 'rate.ts' }).waitFor();
    });

    it('[I-15] a conversation without edits shows a note', async () => {
      await using stage = await scene(
        script().otherwise((turn) => turn.say('Hello.')),
        { cwd: CWD },
      );
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await stage.session.send('greet').result();
      await person.choose('greet');
      await person.page.getByRole('link', { name: 'Changes' }).click();
      await person.see('No changes');
      await person.expectAccessible();
    });
  });
}
