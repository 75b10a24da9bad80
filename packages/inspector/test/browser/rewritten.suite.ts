import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/api.ts';
import { OpenedPage } from './opened-page.ts';
import { entryOf, sampleStage, toolCall, whole } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

/** Transcripts that are replaced while they are read: rewound, cleared, or from a restarted server. */
export function rewrittenSuite(browser: () => Browser): void {
  describe('rewritten', () => {
    for (const how of ['rewritten', 'snapshot'] as const) {
      it(`[I-1] unfolded entries stay unfolded, and new entries with the same numbers are folded: ${how}`, async () => {
        const server = staged(['read a', 'thought: First, I look.', 'read b', 'thought: Then I think.', 'warning w']);
        await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
        const row = (n: number) => person.page.locator(`[data-n="${n}"] [aria-expanded]`);
        for (const n of [0, 1, 2, 3, 4]) await row(n).click();
        for (const n of [0, 1, 2, 3, 4]) expect(await row(n).getAttribute('aria-expanded')).toBe('true');
        show(server, ['read a', 'thought: First, I look.', 'read c', 'thought: Now I row.', 'warning x', 'read b']);
        server.push(how === 'snapshot' ? server.snapshot() : { type: 'rewritten', conversation: 'c0' });
        await row(5).waitFor();
        const states = [0, 1, 2, 3, 4, 5].map((n) => row(n).getAttribute('aria-expanded'));
        expect(await Promise.all(states)).toEqual(['true', 'true', 'false', 'false', 'false', 'false']);
        await server.stop();
      });
    }

    it('[I-1] an unfolded entry stays unfolded while it grows', async () => {
      const server = staged(['read a', 'thought: First']);
      await using person = await OpenedPage.open(browser(), `${await server.start()}#/c/c0`);
      const thought = person.page.locator('[data-n="1"] [aria-expanded]');
      await thought.click();
      const entry = entryFor(1, 'thought: First, I look.');
      // A complete entry has its own time.
      server.push({ type: 'entry', conversation: 'c0', entry: { ...entry, at: 5_000 } });
      await person.page.locator('.thinking', { hasText: 'First, I look.' }).waitFor();
      const call = person.page.locator('[data-n="0"] [aria-expanded]');
      await call.click();
      const done = { ...toolCall({ id: 'a', name: 'Read', argument: 'a' }), result: whole('All of it') };
      server.push({ type: 'entry', conversation: 'c0', entry: entryOf(0, 0, done) });
      await person.page.locator('.tool-open', { hasText: 'All of it' }).waitFor();
      await server.stop();
    });
  });
}

/** A server with one conversation with these entries. */
function staged(words: readonly string[]): StagedServer {
  const stage = sampleStage(1, Date.now());
  stage.approvals = [];
  const server = new StagedServer(stage);
  show(server, words);
  return server;
}

function show(server: StagedServer, words: readonly string[]): void {
  server.stage.total = () => words.length;
  server.stage.entry = (_id, n) => entryFor(n, words[n] ?? '');
}

/** `read <id>`, `thought: <text>` or `warning <code>`. */
function entryFor(n: number, words: string): Entry {
  const [, thought] = words.split('thought: ');
  if (thought !== undefined) {
    return entryOf(n, n, { kind: 'thinking', text: whole(thought), streaming: false, durationMs: null });
  }
  const [kind, name = ''] = words.split(' ');
  if (kind === 'warning') {
    return entryOf(n, n, { kind, code: name, message: `About ${name}`, remedy: '', detail: whole('{}') });
  }
  return entryOf(n, n, toolCall({ id: name, name: 'Read', argument: name }));
}
