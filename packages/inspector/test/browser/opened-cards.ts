import type { Browser, BrowserContextOptions, Locator } from 'playwright-core';
import type { Approval, ServerEvent } from '../../src/api.ts';
import { OpenedPage } from './opened-page.ts';
import { sampleStage } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

/** A page with requests of a staged server. */
export interface OpenedCards extends AsyncDisposable {
  readonly person: OpenedPage;
  readonly server: StagedServer;
  /** The requests whose answers the server received. */
  answered(): string[];
  card(id: string): Locator;
  marked(): Promise<(string | null)[]>;
  /** Moves the pointer over a card in several steps, like a hand. */
  hover(id: string): Promise<void>;
  /** Sends the event that another person has answered a request. */
  gone(id: string): ServerEvent;
}

/** Opens a page with these requests, and waits until they take keys and clicks. */
export async function openedCards(
  browser: Browser,
  approvals: Approval[],
  options: BrowserContextOptions = {},
  view = '#/needs',
): Promise<OpenedCards> {
  const server = new StagedServer({ ...sampleStage(4, Date.now()), approvals });
  const person = await OpenedPage.open(browser, `${await server.start()}${view}`, options);
  await person.cardSettled();
  const card = (id: string): Locator => person.page.locator(`.card[data-approval="${id}"]`);
  return {
    person,
    server,
    card,
    answered: () => server.posts.map(({ path }) => path.split('/').at(-1) ?? ''),
    marked: () =>
      person.page
        .locator('.card[data-marked="true"]')
        .evaluateAll((cards) => cards.map((each) => each.getAttribute('data-approval'))),
    hover: async (id) => {
      const box = await card(id).boundingBox();
      if (box === null) throw new Error(`There is no card ${id}.`);
      await person.page.mouse.move(box.x + 20, box.y + 20, { steps: 4 });
    },
    gone: (id) => ({
      type: 'approval-answered',
      answered: { id, conversation: 'c0', decision: 'deny', by: 'ann', at: Date.now() },
    }),
    [Symbol.asyncDispose]: async () => {
      await person[Symbol.asyncDispose]();
      await server.stop();
    },
  };
}
