import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inMemoryCli, script } from '@coxswain/testkit';
import { openSession } from 'coxswain';
import type { Browser } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inspect } from '../../src/index.ts';
import { OpenedPage } from './opened-page.ts';
import { scene, send } from './scene.ts';

/** Another program on this machine with a web server, perhaps of another user. It records the headers it receives. */
class OtherServer {
  readonly seen: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  readonly #server: Server = createServer((request, response) => {
    this.seen.push({ path: request.url ?? '', headers: request.headers });
    for (const wake of this.#waiting.splice(0)) wake();
    response.setHeader('content-type', 'text/plain').end('aye');
  });
  readonly #waiting: (() => void)[] = [];

  async listen(port = 0): Promise<string> {
    await new Promise<void>((listening) => this.#server.listen(port, '127.0.0.1', listening));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Resolves when a request with this path has begun. */
  async got(path: string): Promise<void> {
    while (!this.seen.some((request) => request.path.startsWith(path))) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((closed) => this.#server.close(() => closed()));
  }
}

/** How a browser logs in, and what it reveals to other servers. */
export function loginSuite(browser: () => Browser): void {
  describe('login', () => {
    it('[I-1, I-4] a reload and further tabs need no token; another browser does', async () => {
      const agent = script().otherwise((turn) => turn.say('Aye.'));
      await using set = await scene(agent, { title: 'Moor the boat' });
      const bare = set.inspector.url.replace(/#.*/, '');
      await using person = await OpenedPage.open(browser(), set.inspector.url);
      const listed = '.row:has-text("Moor the boat")';
      await person.page.locator(listed).waitFor();
      expect(person.page.url()).toBe(`${bare}#/`);
      await person.page.reload();
      await person.page.locator(listed).waitFor();
      const tab = await person.page.context().newPage();
      await tab.goto(bare);
      await tab.locator(listed).waitFor();
      expect(await person.page.context().cookies()).toEqual([]);
      await using stranger = await OpenedPage.open(browser(), bare);
      await stranger.see('Open the address that the program printed');
      // If the URL is pasted into the address bar of the same tab, only the fragment differs.
      await stranger.page.evaluate((hash) => location.assign(hash), new URL(set.inspector.url).hash);
      await stranger.page.locator(listed).waitFor();
    });

    it('[I-4] an address whose token was damaged is reported as wrong', async () => {
      await using set = await scene(script().otherwise((turn) => turn.say('Aye.')));
      await using person = await OpenedPage.open(browser(), set.inspector.url.replace(/#token=.*/, '#token=a%e'));
      await person.see('The token in this address is wrong or no longer valid.');
      expect(new URL(person.page.url()).hash).toBe('#/');
    });

    it('[I-20] a server that restarts with another address keeps what the page shows, and asks for the address above it', async () => {
      const { transport } = inMemoryCli(script().otherwise((turn) => turn.say('Aye.')));
      await using session = openSession({ transport, title: 'Moor the boat' });
      const first = await inspect(session);
      await using person = await OpenedPage.open(browser(), first.url, { reducedMotion: 'reduce' });
      await session.send('Row').result();
      await person.choose('Moor the boat');
      await person.see('Aye.');
      await first.close();
      await using second = await inspect(session, { port: first.port });
      await person.see('The server was restarted and has a new address');
      await person.see('Aye.');
      await person.expectAccessible();
      await person.page.getByRole('textbox', { name: 'Address or token' }).fill(second.url);
      await person.page.keyboard.press('Enter');
      await person.page.locator('.lost').waitFor({ state: 'detached' });
      await session.send('Go on').result();
      await expect.poll(() => person.page.locator('.row', { hasText: 'Moor the boat' }).count()).toBe(1);
    });

    it('[I-3, I-4] the full version of a long text opens in a new tab, also with the middle button', async () => {
      const agent = script().otherwise((turn) => turn.say(`${'row '.repeat(6_000)} <b>and the end</b>`));
      await using set = await scene(agent);
      await using person = await OpenedPage.open(browser(), set.inspector.url);
      send(set.session, 'Row');
      await person.choose('Row');
      const link = person.page.getByRole('link', { name: /Show all/ });
      for (const button of ['left', 'middle'] as const) {
        const [tab] = await Promise.all([person.page.context().waitForEvent('page'), link.click({ button })]);
        await tab.getByText('<b>and the end</b>').waitFor();
        expect(await tab.evaluate(() => document.contentType)).toBe('text/plain');
        await tab.close();
      }
    });

    it('[I-4] a link to another server on this machine reveals nothing to it', async () => {
      const other = new OtherServer();
      const address = await other.listen();
      onTestFinished(() => other.close());
      const agent = script().otherwise((turn) => turn.say(`See [the log](${address}log).`));
      await using set = await scene(agent);
      await using person = await OpenedPage.open(browser(), set.inspector.url);
      send(set.session, 'Row');
      await person.choose('Row');
      await person.page.getByRole('link', { name: 'the log' }).click();
      await other.got('/log');
      const names = other.seen.flatMap(({ headers }) => Object.keys(headers));
      expect(names).toContain('host');
      for (const name of ['cookie', 'referer', 'x-coxswain-inspector']) expect(names).not.toContain(name);
    });

    it('[I-1, I-4] another program at the same port does not get the key; the original one does, and the page continues', async () => {
      const { transport } = inMemoryCli(script().otherwise((turn) => turn.say('Aye.')));
      await using session = openSession({ transport, title: 'Moor the boat' });
      const token = 'a token that the program keeps';
      const first = await inspect(session, { token });
      await using person = await OpenedPage.open(browser(), first.url);
      await person.page.locator('.row', { hasText: 'Moor the boat' }).waitFor();
      const key = await person.page.evaluate(() => localStorage.getItem('coxswain inspector /'));
      expect(key).toMatch(/^[\w-]{43}$/);
      await first.close();
      const other = new OtherServer();
      await other.listen(first.port);
      await other.got('/api/events');
      const received = JSON.stringify(other.seen);
      expect(received).not.toContain(key);
      expect(received).not.toContain(token);
      await other.close();
      await using again = await inspect(session, { token, port: first.port });
      await person.page.locator('.lost').waitFor({ state: 'detached' });
      send(session, 'Go on');
      await person.choose('Moor the boat');
      await person.see('Aye.');
      expect(again.port).toBe(first.port);
    });
  });
}
