import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { script } from '@coxswain/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inspect } from '../../src/inspect.ts';
import type { PushOptions } from '../../src/push/pusher.ts';
import { pushService } from '../support/push-service.ts';
import { nextApproval, stage, watchedSession } from '../support/stage.ts';

const asking = script().otherwise((turn) => turn.useTool('Bash', { command: 'npm publish' }, { permission: 'ask' }));

function options(more: Partial<PushOptions> = {}): PushOptions {
  const folder = mkdtempSync(join(tmpdir(), 'push-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { subject: 'mailto:ops@example.com', file: join(folder, 'deep', 'push.json'), ...more };
}

describe('Web Push', () => {
  it('[I-18] a request is sent, encrypted, to the browsers that have subscribed, also after a restart; without its content', async () => {
    const service = await pushService();
    const push = options({ services: [service.host] });
    const first = await stage(asking, { push });
    expect((await first.browser.post('api/push', service.subscriber)).status).toBe(200);
    await first.inspector.close();
    expect(statSync(push.file).mode & 0o777).toBe(0o600);
    const second = await stage(asking, { push });
    const { session, id, events } = await watchedSession(second);
    void session
      .send('release')
      .result()
      .catch(() => {});
    const approval = await nextApproval(events);
    await expect
      .poll(() => service.messages)
      .toEqual([
        { authorization: 'vapid', title: 'Bash needs you', body: 'release', tag: approval.id, view: `#/c/${id}` },
      ]);
  });

  it('[I-18] a browser that unsubscribes, or whose service has removed it, gets nothing more', async () => {
    const service = await pushService();
    const push = options({ services: [service.host] });
    const { browser } = await stage(asking, { push });
    const subscribed = (): number => JSON.parse(readFileSync(push.file, 'utf8')).subscribers.length;
    await browser.post('api/push', service.subscriber);
    expect(subscribed()).toBe(1);
    await browser.post('api/push/remove', { endpoint: service.subscriber.endpoint });
    expect(subscribed()).toBe(0);
    service.status = 410;
    const gone = await stage(asking, { push });
    await gone.browser.post('api/push', service.subscriber);
    const { session } = await watchedSession(gone);
    void session
      .send('release')
      .result()
      .catch(() => {});
    await expect.poll(subscribed).toBe(0);
  });

  it('[I-4, I-18] the server sends only to known push services, and only for people who are logged in', async () => {
    const { browser } = await stage(asking, { push: options() });
    const keys = { p256dh: 'BA', auth: 'AA' };
    for (const endpoint of [
      'https://127.0.0.1/x',
      'http://fcm.googleapis.com/x',
      'https://fcm.googleapis.com.evil.example/',
      'x',
    ]) {
      expect((await browser.post('api/push', { endpoint, keys })).status).toBe(400);
    }
    expect((await browser.post('api/push', { endpoint: 'https://fcm.googleapis.com/fcm/send/1', keys })).status).toBe(
      200,
    );
    browser.key = 'another key';
    expect((await browser.fetch('api/push')).status).toBe(401);
  });

  it('[I-18] wrong options are refused', async () => {
    const wrong = [
      [{ subject: 'ops', file: '/x' }, 'push.subject'],
      [{ subject: 'mailto:ops@example.com' }, 'push.file'],
      [{ ...options(), keys: 1 }, 'push.keys'],
      [{ ...options(), file: '/dev/null/x' }, 'push.file'],
    ] as const;
    // Programs without types pass such options.
    for (const [push, path] of wrong) await expect(inspect([], { push: push as PushOptions })).rejects.toThrow(path);
  });
});
