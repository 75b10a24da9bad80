import { inMemoryCli, script } from '@coxswain/testkit';
import { createClient } from 'coxswain';
import { describe, expect, it } from 'vitest';
import type { Conversation, ServerInfo } from '../../src/api.ts';
import { inspect } from '../../src/inspect.ts';
import { readPage } from '../../src/server/page-files.ts';
import { Browser } from '../support/browser.ts';

const AGENT = script().onPrompt(/(.*)/, (turn) => turn.say('Aye.'));
const client = () => createClient({ transport: inMemoryCli(AGENT).transport });

describe('where the inspector runs', () => {
  it('[I-1] works under a base path: page, API and redirect', async () => {
    await using inspector = await inspect(client(), { basePath: '/ops/agents' });
    expect(inspector.url).toMatch(/\/ops\/agents\/#token=/);
    const browser = await new Browser(inspector).login();
    const info = await browser.get<ServerInfo>('api/info');
    expect(info).toMatchObject({ readOnly: false, demo: false, user: null, sources: [{ kind: 'process' }] });
    const bare = await fetch(`${browser.origin}/ops/agents`, { redirect: 'manual' });
    expect([bare.status, bare.headers.get('location')]).toEqual([308, '/ops/agents/']);
    expect((await fetch(`${browser.origin}/api/info`)).status).toBe(404);
    const page = await browser.fetch('');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await page.text()).not.toMatch(/(?:src|href)="\//);
  });

  it('[I-1] files with a hash in their name are cached forever; the page itself, its worker and its manifest are requested again', async () => {
    await using inspector = await inspect(client());
    const browser = new Browser(inspector);
    for (const [path, file] of readPage()) {
      const answer = await browser.fetch(path, { headers: { 'accept-encoding': 'identity' } });
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.headers.get('content-type')).toBe(file.type);
      expect(answer.headers.get('cache-control')).toBe(
        path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
      expect((await answer.arrayBuffer()).byteLength).toBe(file.body.length);
    }
  });

  it('[I-1] a server restarted with the same token accepts the same browser, with a snapshot', async () => {
    const token = 'a token that the program keeps';
    const agents = client();
    const session = agents.openSession();
    const first = await inspect(session, { token });
    const browser = await new Browser(first).login();
    const events = browser.events();
    await events.until(({ type }) => type === 'snapshot');
    const [before] = await browser.conversations();
    await first.close();
    await using _second = await inspect(session, { token, port: first.port });
    const again = browser.events('', events.lastId);
    const snapshot = await again.until(({ type }) => type === 'snapshot');
    const shown: readonly Conversation[] = snapshot.type === 'snapshot' ? snapshot.page.conversations : [];
    expect(shown.map(({ id }) => id)).toEqual([before?.id]);
    browser.close();
    await session.close();
  });

  it('[I-4] with a login of the program, users are recorded by name, and others are refused', async () => {
    const auth = async (request: Request) =>
      request.headers.get('authorization') === 'Bearer ann' ? { user: 'ann' } : undefined;
    await using inspector = await inspect(client(), { auth });
    expect(inspector.url).not.toContain('token');
    const browser = new Browser(inspector);
    expect((await browser.fetch('api/info')).status).toBe(401);
    const answer = await browser.fetch('api/info', { headers: { authorization: 'Bearer ann' } });
    expect(await answer.json()).toMatchObject({ user: 'ann' });
    const errors: unknown[] = [];
    await using broken = await inspect(client(), {
      onError: (error) => errors.push(error),
      auth: () => {
        throw new Error('the database is away');
      },
    });
    expect((await new Browser(broken).fetch('api/info')).status).toBe(502);
    expect(errors).toMatchObject([{ message: 'the database is away' }]);
  });

  it('[I-4] a result of auth without a user name refuses the request', async () => {
    let returned: unknown;
    const errors: unknown[] = [];
    // As in a program without types.
    const auth = (async () => returned) as () => Promise<undefined>;
    await using inspector = await inspect(client(), { auth, onError: (error) => errors.push(error) });
    const browser = new Browser(inspector);
    const status = async (): Promise<number> => (await browser.fetch('api/info')).status;
    const others: unknown[] = [undefined, null, false, true, 0, 1, '', 'bob', {}, [], { user: 5 }, { user: '' }];
    for (returned of others) expect([returned, await status()]).toEqual([returned, 401]);
    class User {
      get user(): string {
        return 'ann';
      }
    }
    returned = new User();
    expect([await status(), errors]).toEqual([200, []]);
  });

  it('[I-4] unknown options, such as readonly, and options of the wrong kind are refused', async () => {
    const refused = async (options: object, message: string, target: object = []): Promise<void> => {
      // As in a program without types.
      const opened = inspect(target as [], options);
      await expect(opened).rejects.toMatchObject({ code: 'options', message: expect.stringContaining(message) });
    };
    await refused({ readonly: true }, 'is not a known option. Did you mean readOnly?');
    await refused({ nope: 1 }, 'nope: is not a known option.');
    const slips = { prot: 'port', hots: 'host', tokn: 'token', auths: 'auth', nane: 'name', OnError: 'onError' };
    for (const [typed, meant] of Object.entries(slips))
      await refused({ [typed]: 1 }, `${typed}: is not a known option. Did you mean ${meant}?`);
    await refused({ disk: { limits: 1 } }, 'disk.limits: is not a known option. Did you mean limit?');
    await refused({ auth: 5 }, 'auth: must be a function');
    await refused({ secrets: 'x' }, 'secrets: must be an array of strings');
    await refused({ recordings: 'x' }, 'recordings: must be an array of strings');
    await refused({ disk: 5 }, 'disk: must be true, false or an object');
    await refused({ disk: { limit: 0, nope: 1 } }, 'disk.nope: is not a known option; the known ones are cwd,');
    for (const limit of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5'])
      await refused({ disk: { limit } }, 'disk.limit: must be a whole number from 1');
    for (const port of [-1, 1.5, 65_536, Number.NaN, '8080'])
      await refused({ port }, 'port: must be a port from 0 to 65535');
    await refused({ onAudit: 5 }, 'onAudit: must be a function');
    await refused({ readOnly: 'false' }, 'readOnly: must be true or false');
    await refused({ basePath: '/../x' }, 'basePath');
    await refused({}, 'options are the second argument', { readOnly: true });
    await using fine = await inspect([], { readOnly: undefined, basePath: '/..x/.y' });
    expect(fine.url).toContain('/..x/.y/');
  });

  it('[I-5] secrets of the environment and of the client are redacted', async () => {
    const agent = script().onPrompt(/(.*)/, (turn) => turn.say('It is tide-secret-77, and sk-ant-api03-abcdefgh.'));
    const { transport } = inMemoryCli(agent);
    const agents = createClient({ transport, env: { TIDE_TOKEN: 'tide-secret-77' }, includePartialMessages: true });
    await using inspector = await inspect(agents, { secrets: ['Nelson'] });
    const browser = await new Browser(inspector).login();
    const session = agents.openSession();
    const [only] = await browser.conversations();
    const events = browser.events(`?watch=${only?.id}`);
    await session.send('Who is Nelson, and what is tide-secret-77?').result();
    await session.idle();
    const all = await (await browser.fetch(`api/conversations/${only?.id}/entries`)).text();
    const exported = await (await browser.fetch(`api/conversations/${only?.id}/export?format=markdown`)).text();
    const list = await (await browser.fetch('api/conversations')).text();
    const seen = JSON.stringify(events.seen);
    for (const text of [all, exported, list, seen]) expect(text).not.toMatch(/tide-secret|sk-ant|Nelson/);
    expect(all).toContain('[redacted]');
    browser.close();
    await session.close();
  });

  it('[I-1] an address in use is refused with a remedy', async () => {
    await using inspector = await inspect(client());
    await expect(inspect(client(), { port: inspector.port })).rejects.toMatchObject({
      code: 'inspector-start',
      message: expect.stringContaining('the port is in use'),
    });
  });
});
