import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { ServerEvent } from '../../src/api.ts';
import { OpenedPage } from './opened-page.ts';
import { sampleQueue, sampleStage } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

/** Responses that arrive after the response to a later request are dropped. */
export function lateAnswersSuite(browser: () => Browser): void {
  describe('late answers', () => {
    it('[I-1] newer figures stay when older ones arrive late', async () => {
      const server = quiet();
      const { stats } = server.stage;
      const spend = (usd: number): void => {
        server.stage.stats = { ...stats, total: { ...stats.total, usd } };
      };
      spend(1);
      await using person = await uncached(browser(), `${await server.start()}#/costs`);
      await person.see('$1.00 in 30 days');
      await overtaken(server, person, {
        path: 'api/stats',
        changed: { type: 'stats-changed' },
        older: () => spend(2),
        newer: () => spend(3),
        seen: () => person.see('$3.00 in 30 days'),
      });
      expect(await person.page.locator('.head-note').innerText()).toBe('$3.00 in 30 days');
      await server.stop();
    });

    it('[I-1] newer queues stay when older ones arrive late', async () => {
      const server = quiet();
      const queue = (queued: number): void => {
        server.stage.queues = [sampleQueue(queued)];
      };
      queue(1);
      await using person = await uncached(browser(), `${await server.start()}#/queues`);
      await person.see('1 waiting');
      await overtaken(server, person, {
        path: 'api/queues',
        changed: { type: 'queues-changed' },
        older: () => queue(2),
        newer: () => queue(3),
        seen: () => person.see('3 waiting'),
      });
      expect(await person.page.locator('.queue-line').innerText()).toContain('3 waiting');
      await server.stop();
    });

    it('[I-5] newer options of the server stay when older ones arrive late', async () => {
      const server = quiet();
      await using person = await uncached(browser(), await server.start());
      await person.page.locator('.row').first().waitFor();
      const tag = person.page.locator('.brand', { hasText: 'read-only' });
      await overtaken(server, person, {
        path: 'api/info',
        changed: () => server.snapshot(),
        older: () => {},
        newer: () => {
          server.stage.readOnly = true;
        },
        seen: () => tag.waitFor(),
      });
      expect(await tag.count()).toBe(1);
      await server.stop();
    });

    for (const tab of ['Timeline', 'Cost'] as const) {
      it(`[I-1] newer turns stay when older ones arrive late: ${tab}`, async () => {
        const server = quiet();
        const [turn] = server.stage.turns('c0');
        const [conversation] = server.stage.conversations;
        if (turn === undefined || conversation === undefined) throw new Error('The stage has a turn.');
        const title = (words: string): void => {
          server.stage.turns = () => [{ ...turn, title: words }];
        };
        title('Row on');
        await using person = await uncached(browser(), `${await server.start()}#/c/c0`);
        await person.page.getByRole('tab', { name: tab }).click();
        const panel = person.page.getByRole('tabpanel');
        await panel.getByText('Row on').waitFor();
        let turns = conversation.turns;
        await overtaken(server, person, {
          path: 'c0/turns',
          // The details are fetched again for each new turn.
          changed: () => ({ type: 'conversation', conversation: { ...conversation, turns: ++turns } }),
          older: () => title('Older'),
          newer: () => title('Newer'),
          seen: () => panel.getByText('Newer').waitFor(),
        });
        expect(await panel.innerText()).toContain('Newer');
        await server.stop();
      });
    }
  });
}

/**
 * A page without a cache, because it has a route. With its cache, Chromium repeats a request to a URL only after the first response,
 * or after 20 s; other browsers do not wait. Requests that are pending when a route is added may report no response.
 */
async function uncached(browser: Browser, url: string): Promise<OpenedPage> {
  const person = await OpenedPage.open(browser, 'about:blank');
  await person.page.route('**/no-such-file', (route) => route.continue());
  await person.page.goto(url);
  return person;
}

/** Delays one response until after the next one. Resolves when the page has processed both. */
async function overtaken(
  server: StagedServer,
  person: OpenedPage,
  { path, changed, older, newer, seen }: Overtaking,
): Promise<void> {
  const push = (): void => server.push(typeof changed === 'function' ? changed() : changed);
  const held = server.hold(path);
  older();
  push();
  await held.asked;
  newer();
  push();
  await seen();
  const answered = person.page.waitForResponse((response) => response.url().includes(path));
  held.release();
  await (await answered).finished();
  const second = server.stage.conversations[1];
  if (second === undefined) throw new Error('The stage has conversations.');
  server.push({ type: 'conversation', conversation: { ...second, title: 'Taken' } });
  await person.page.locator('.row', { hasText: 'Taken' }).waitFor();
}

interface Overtaking {
  /** A part of the URL of both requests. */
  readonly path: string;
  /** The event after which the page sends the request again. */
  readonly changed: ServerEvent | (() => ServerEvent);
  readonly older: () => void;
  readonly newer: () => void;
  /** Resolves when the page shows the newer response. */
  readonly seen: () => Promise<void>;
}

function quiet(): StagedServer {
  const stage = sampleStage(3, Date.now());
  stage.approvals = [];
  return new StagedServer(stage);
}
