import { script } from '@coxswain/testkit';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { OpenedPage } from './opened-page.ts';
import { scene } from './scene.ts';

const SCRIPT = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script><svg onload="window.hacked=1">';
const LINKS =
  '[a](javascript:window.hacked=1) [b](data:text/html,x) ![c](http://127.0.0.1:9/spy.png) [d](https://example.com)';
const HIDDEN = 'red \u001b[31mtext\u0007 and \u202Egnp.exe\u202C and zero\u200Bwidth';

/** Transcripts with content that tries to be more than text. */
export function hostileSuite(browser: () => Browser): void {
  describe('hostile transcripts', () => {
    it('[I-4] HTML and scripts are shown as text everywhere', async () => {
      const agent = script().otherwise((turn) =>
        turn
          .think(SCRIPT)
          .say(`${SCRIPT}\n\n${LINKS}\n\n\`\`\`html\n${SCRIPT}\n\`\`\``)
          .useTool('Bash', { command: SCRIPT }, { result: SCRIPT, permission: 'allow' }),
      );
      await using stage = await scene(agent);
      await stage.session.send(`${SCRIPT} prompt`).result();
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      const requests: string[] = [];
      person.page.on('request', (request) => requests.push(request.url()));
      await person.page.locator('.row').first().click();
      await person.page.locator('.answer', { hasText: 'onerror' }).waitFor();
      await person.page.locator('.tool-line').click();
      await person.page.locator('.tool-open', { hasText: 'onload' }).waitFor();
      await person.page.locator('.fold').click();
      expect(await person.page.evaluate(() => 'hacked' in window)).toBe(false);
      expect(await person.page.locator('.answer img, .answer script, .answer svg:not(.icon)').count()).toBe(0);
      const links = await person.page
        .locator('.answer a')
        .evaluateAll((all) => all.map((each) => each.getAttribute('href')));
      expect(links).toEqual(['http://127.0.0.1:9/spy.png', 'https://example.com']);
      expect(requests.filter((url) => url.includes('spy'))).toEqual([]);
    });

    it('[I-4] a text that is nested too deeply for Markdown is shown as it is', async () => {
      const agent = script().otherwise((turn) => turn.say(`${'>'.repeat(5_000)} then alpha`).say('Done.'));
      await using stage = await scene(agent);
      await stage.session.send('go').result();
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.choose('go');
      await person.see('Done.');
      expect(await person.page.locator('.answer').first().innerText()).toContain('> then alpha');
    });

    it('[I-4] control characters and direction overrides are made visible', async () => {
      const agent = script().otherwise((turn) =>
        turn.say(HIDDEN).useTool('Bash', { command: HIDDEN }, { result: HIDDEN, permission: 'allow' }),
      );
      await using stage = await scene(agent);
      await stage.session.send('go').result();
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.choose('go');
      await person.see('red ␛[31mtext␇ and ⟦U+202E⟧gnp.exe⟦U+202C⟧ and zero⟦U+200B⟧width');
      const text = await person.page.locator('.column-main').innerText();
      for (const hidden of ['\u001b', '\u0007', '\u202e', '\u200b']) expect(text).not.toContain(hidden);
    });

    it('[I-4] right-to-left prompts are set from right to left', async () => {
      const agent = script().otherwise((turn) => turn.say('تم **التحديث** بنجاح.'));
      await using stage = await scene(agent);
      await stage.session.send('حدّث صفحة التسجيل').result();
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.choose('حدّث صفحة التسجيل');
      for (const place of ['.prompt p', '.answer p']) {
        await person.page.locator(place).waitFor();
        const directions = await person.page
          .locator(place)
          .evaluateAll((all) => all.map((each) => getComputedStyle(each).direction));
        expect(directions).toEqual(['rtl']);
      }
    });

    it('[I-3] a result of 5 MB is cut, and shown in full on request', async () => {
      const line = 'x'.repeat(99);
      const result = `${Array.from({ length: 50_000 }, () => line).join('\n')}\nTHE END`;
      const agent = script().otherwise((turn) =>
        turn.useTool('Bash', { command: 'cat big' }, { result, permission: 'allow' }).say('Big.'),
      );
      await using stage = await scene(agent);
      await stage.session.send('go').result();
      await using person = await OpenedPage.open(browser(), stage.inspector.url);
      await person.choose('go');
      await person.see('Big.');
      await person.page.locator('.tool-line').click();
      const output = person.page.locator('.tool-open .code', { hasText: 'Show all' });
      expect((await output.innerText()).length).toBeLessThan(100_000);
      await output.getByRole('button', { name: /Show all \(5 MB\)/ }).click();
      await expect
        .poll(() =>
          person.page
            .locator('.tool-open pre')
            .last()
            .evaluate((pre) => pre.textContent?.endsWith('THE END')),
        )
        .toBe(true);
      // The page stays responsive: chunks out of view are not laid out.
      const layout = (): Promise<number> =>
        person.page.evaluate(() => {
          const start = performance.now();
          document.querySelector('.scroller')?.scrollTo(0, 0);
          document.body.getBoundingClientRect();
          return performance.now() - start;
        });
      // A busy machine may delay one of the measurements.
      expect(Math.min(await layout(), await layout(), await layout())).toBeLessThan(1_000);
    });
  });
}
