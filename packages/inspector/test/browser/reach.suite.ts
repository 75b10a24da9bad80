import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { script } from '@coxswain/testkit';
import type { Browser } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pushService } from '../support/push-service.ts';
import { OpenedPage } from './opened-page.ts';
import { type Scene, scene, send } from './scene.ts';
import { commandRequest, sampleStage } from './staged-samples.ts';
import { StagedServer } from './staged-server.ts';

const asking = script().otherwise((turn) =>
  turn.useTool('Bash', { command: 'npm publish' }, { permission: 'ask' }).say('Done.'),
);

/** Lets the page show notifications, which this browser has none of, and records them, badges and sounds. */
function recorded(): void {
  const notified: unknown[] = [];
  Object.assign(window, { notified });
  Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
  Notification.requestPermission = async () => 'granted';
  ServiceWorkerRegistration.prototype.showNotification = async (title, options) =>
    void notified.push(['notification', title, options?.body, options?.data?.view]);
  Object.assign(navigator, { setAppBadge: async (count: number) => void notified.push(['badge', count]) });
  const { start } = OscillatorNode.prototype;
  OscillatorNode.prototype.start = function (at) {
    notified.push(['sound']);
    start.call(this, at);
  };
}

async function away(stage: Scene, browser: Browser): Promise<OpenedPage> {
  const person = await OpenedPage.open(browser, 'about:blank');
  await person.page.addInitScript(recorded);
  await person.page.goto(stage.inspector.url);
  return person;
}

const notifiedOn = (person: OpenedPage): Promise<unknown> =>
  person.page.evaluate(() => Reflect.get(window, 'notified'));

/** How requests reach a person who does not look at the page. */
export function reachSuite(browser: () => Browser): void {
  describe('reaching people', () => {
    it('[I-18] the number of requests is in the title and on the badge of the app, and a dot is on the favicon', async () => {
      await using stage = await scene(asking);
      await using person = await away(stage, browser());
      const icon = (): Promise<string | null> => person.page.locator('link[rel="icon"]').getAttribute('href');
      await expect.poll(icon).not.toContain('waiting');
      send(stage.session, 'release');
      await expect.poll(() => person.page.title()).toBe('(1) Coxswain');
      await expect.poll(icon).toContain('icon-waiting');
      await expect.poll(() => notifiedOn(person)).toContainEqual(['badge', 1]);
      const drawn = await person.page.evaluate(
        async (href) => (await fetch(href ?? '')).headers.get('content-type'),
        await icon(),
      );
      expect(drawn).toBe('image/svg+xml');
      await person.cardSettled();
      await person.click('Allow once');
      await expect.poll(() => person.page.title()).toBe('Coxswain');
      await expect.poll(icon).not.toContain('waiting');
    });

    it('[I-18] who has asked for it is notified, with a sound, while looking elsewhere; the choice is kept', async () => {
      await using stage = await scene(asking);
      await using person = await away(stage, browser());
      await person.click('Notifications');
      await person.expectAccessible();
      await person.click('Play a sound');
      await person.click('Notifications');
      await person.click('Notify me of requests');
      await person.see('You are notified of requests');
      await person.page.reload();
      await person.click('Notifications');
      await person.see('Stop the notifications');
      await person.page.keyboard.press('Escape');
      await person.page.evaluate(() => (document.hasFocus = () => false));
      send(stage.session, 'release');
      await person.page.locator('.card').first().waitFor();
      await expect.poll(() => notifiedOn(person)).toContainEqual(['sound']);
      const notice = ['notification', 'Bash needs you', 'release', expect.stringMatching(/^#\/c\/p-/)];
      await expect.poll(() => notifiedOn(person)).toContainEqual(notice);
      // Not what was asked: others may see the screen.
      expect(JSON.stringify(await notifiedOn(person))).not.toContain('publish');
    });

    it('[I-18] nobody is notified without having asked for it, of old requests, or while looking at the page', async () => {
      const server = new StagedServer(sampleStage(3, Date.now()));
      await using person = await OpenedPage.open(browser(), 'about:blank');
      await person.page.addInitScript(recorded);
      await person.page.goto(await server.start());
      await person.page.locator('.card').first().waitFor();
      server.push({ type: 'approval', approval: commandRequest('b1', 'one', Date.now()) });
      await expect.poll(() => person.page.title()).toBe('(4) Coxswain');
      await person.page.evaluate(() => localStorage.setItem('coxswain-notifications', 'on'));
      await person.page.reload();
      await expect.poll(() => person.page.title()).toBe('(3) Coxswain');
      server.push({ type: 'approval', approval: commandRequest('b2', 'two', Date.now()) });
      await expect.poll(() => person.page.title()).toBe('(4) Coxswain');
      expect(JSON.stringify(await notifiedOn(person))).not.toMatch(/notification|sound/);
      await server.stop();
    });

    it('[I-18] a click on a notification opens the request; a pushed one is shown unless a page has the focus', async () => {
      await using stage = await scene(asking);
      await using person = await away(stage, browser());
      await person.click('Notifications');
      const starting = person.page.context().waitForEvent('serviceworker');
      await person.click('Notify me of requests');
      const worker = await starting;
      send(stage.session, 'release');
      await person.page.locator('.card').first().waitFor();
      const id = await person.page.locator('.row').getAttribute('href');
      const shown = await worker.evaluate(async () => {
        // The types here are those of a page; this runs in the worker.
        const scope = self as unknown as { registration: ServiceWorkerRegistration; clients: { matchAll: unknown } };
        const seen: unknown[] = [];
        Object.assign(scope.registration, { showNotification: async (...what: unknown[]) => seen.push(what) });
        const { matchAll } = scope.clients;
        const data = JSON.stringify({ title: 'Bash needs you', body: 'release', tag: 't', view: '#/needs' });
        const PushEvent = Reflect.get(self, 'PushEvent');
        for (const focused of [true, false]) {
          Object.assign(scope.clients, { matchAll: async () => [{ focused }] });
          self.dispatchEvent(new PushEvent('push', { data }));
          await new Promise((done) => setTimeout(done, 50));
        }
        Object.assign(scope.clients, { matchAll });
        return seen;
      });
      expect(shown).toEqual([
        ['Bash needs you', { body: 'release', tag: 't', icon: './icon-192.png', data: { view: '#/needs' } }],
      ]);
      await person.page.goto(`${stage.inspector.url.split('#')[0]}#/costs`);
      await worker.evaluate((view) => {
        const notification = { close: () => {}, data: { view } };
        self.dispatchEvent(Object.assign(new Event('notificationclick'), { notification, waitUntil: () => {} }));
      }, id);
      await person.page.locator('.dock .card', { hasText: 'npm publish' }).waitFor();
    });

    it('[I-18] who has asked for it is also notified while the page is closed', async () => {
      const service = await pushService();
      const folder = await mkdtemp(join(tmpdir(), 'cox-push-'));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      const push = { subject: 'mailto:ops@example.com', file: join(folder, 'push.json'), services: [service.host] };
      await using stage = await scene(asking, {}, { push });
      {
        await using person = await away(stage, browser());
        // The browser's own push service is not reachable.
        await person.page.evaluate((subscriber) => {
          Object.assign(PushManager.prototype, { subscribe: async () => ({ toJSON: () => subscriber }) });
        }, service.subscriber);
        await person.click('Notifications');
        await person.click('Notify me of requests');
        await person.see('You are notified of requests');
      }
      send(stage.session, 'release');
      await expect.poll(() => service.messages).toMatchObject([{ title: 'Bash needs you', body: 'release' }]);
    });

    it('[I-18] the page has a manifest with icons, so that it can be installed', async () => {
      await using stage = await scene(asking);
      await using person = await away(stage, browser());
      const found = await person.page.evaluate(async () => {
        const href = document.querySelector<HTMLLinkElement>('link[rel="manifest"]')?.href ?? '';
        const manifest = await (await fetch(href)).json();
        const icons = manifest.icons.map(async ({ src }: { src: string }) =>
          (await fetch(new URL(src, href))).headers.get('content-type'),
        );
        return { display: manifest.display, icons: await Promise.all(icons) };
      });
      expect(found).toEqual({ display: 'standalone', icons: ['image/png', 'image/png'] });
    });
  });
}
