import { request } from 'node:http';
import { script } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import type { ApiFailure } from '../../src/api.ts';
import { inspect } from '../../src/inspect.ts';
import { pageProofs } from '../../src/programs/proof.ts';
import { Browser, KEY_HEADER, POST_HEADERS } from '../support/browser.ts';
import { nextApproval, onlyConversation, type Stage, stage } from '../support/stage.ts';

const AGENT = script().otherwise((turn) =>
  turn.useTool('Bash', { command: 'ls' }, { permission: 'ask' }).say('<script>alert(1)</script>'),
);

/** Sends exactly these headers; `fetch` would set `Host` itself. */
function raw(
  stage: Stage,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string },
) {
  return new Promise<{ status: number; body: string; headers: Record<string, unknown> }>((resolve, reject) => {
    const { hostname, port } = new URL(stage.browser.base);
    const sent = request(
      { hostname, port, path, method: options.method ?? 'GET', headers: options.headers },
      (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (text: string) => {
          body += text;
        });
        answer.once('end', () => resolve({ status: answer.statusCode ?? 0, body, headers: answer.headers }));
      },
    );
    sent.once('error', reject);
    sent.end(options.body);
  });
}

async function codeOf(answer: Response): Promise<string> {
  const { error } = (await answer.json()) as ApiFailure;
  return error.code;
}

describe('attacks', () => {
  it('[I-4] without the token, every request is refused', async () => {
    const set = await stage(AGENT);
    const stranger = new Browser(set.inspector);
    const paths = [
      'info',
      'conversations',
      'approvals',
      'events',
      'stats',
      'search?q=a',
      'audit',
      'recordings',
      'queues',
    ];
    for (const path of paths) {
      const answer = await stranger.fetch(`api/${path}`);
      expect([path, answer.status, await answer.json()]).toMatchObject([
        path,
        401,
        { error: { code: 'not-logged-in' } },
      ]);
    }
    expect((await stranger.post('api/conversations/x/actions', { action: 'interrupt' })).status).toBe(401);
    expect((await stranger.post('api/login', { token: 'x'.repeat(43) })).status).toBe(401);
    // The token itself is not a key, and neither is accepted in the query string.
    for (const key of [set.browser.key.slice(0, -1), set.inspector.token, '', '1']) {
      expect((await stranger.fetch('api/info', { headers: { [KEY_HEADER]: key } })).status).toBe(401);
    }
    for (const query of [
      `token=${set.inspector.token}`,
      `key=${set.browser.key}`,
      `${KEY_HEADER}=${set.browser.key}`,
    ]) {
      expect((await stranger.fetch(`api/info?${query}`)).status).toBe(401);
    }
  });

  it('[I-4] no cookie is set, which other servers on this machine would receive, and none gives access', async () => {
    const { browser, inspector } = await stage(AGENT);
    const answer = await browser.post('api/login', { token: inspector.token });
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(await answer.json()).toEqual({ key: browser.key });
    for (const path of ['', 'api/info', 'api/conversations']) {
      expect((await browser.fetch(path)).headers.get('set-cookie')).toBeNull();
    }
    const cookie = [KEY_HEADER, `coxswain_inspector_${inspector.port}`, 'key']
      .map((name) => `${name}=${browser.key}`)
      .join('; ');
    const stranger = new Browser(inspector);
    expect((await stranger.fetch('api/info', { headers: { cookie } })).status).toBe(401);
    expect((await stranger.post('api/approvals/x', { decision: 'allow' }, { cookie })).status).toBe(401);
    expect(inspector.url).toContain('/#token=');
  });

  it('[I-4] exports, full texts and events need the key as well', async () => {
    const { browser, inspector, open } = await stage(AGENT);
    open();
    const { id } = await onlyConversation(browser);
    const stranger = new Browser(inspector);
    for (const path of [`conversations/${id}/export?format=json`, `conversations/${id}/parts/0`, 'events']) {
      expect([path, (await stranger.fetch(`api/${path}`)).status]).toEqual([path, 401]);
    }
  });

  it('[I-4] a server proves that it has the key only to a page that has it, and only at its own address', async () => {
    const { browser, inspector } = await stage(AGENT);
    const nonce = 'never-used-before-1';
    const ask = (key: string, host: string, more: Record<string, string> = {}) => {
      const proof = pageProofs(key, host, nonce).page;
      return browser.fetch(`api/proof?${new URLSearchParams({ host, nonce, proof, ...more })}`);
    };
    const host = `127.0.0.1:${inspector.port}`;
    const answer = await ask(browser.key, host);
    expect([answer.status, await answer.text()]).toEqual([200, pageProofs(browser.key, host, nonce).server]);
    // A server at another port that relays the request gets nothing, and neither does a page without the key.
    expect((await ask(browser.key, '127.0.0.1:1')).status).toBe(401);
    expect((await ask(browser.key, '127.0.0.1:1', { host })).status).toBe(401);
    expect((await ask('guessed', host)).status).toBe(401);
    expect((await ask(browser.key, host, { proof: pageProofs(browser.key, host, nonce).server })).status).toBe(401);
    expect((await ask(browser.key, host, { nonce: 'short' })).status).toBe(400);
    expect((await browser.fetch('api/proof')).status).toBe(400);
    await using own = await inspect([], { auth: () => ({ user: 'ann' }) });
    expect((await new Browser(own).fetch(`api/proof?nonce=${nonce}`)).status).toBe(401);
  });

  it('[I-4] a foreign Host is refused, also for the page itself (DNS rebinding)', async () => {
    const set = await stage(AGENT);
    const key = { [KEY_HEADER]: set.browser.key };
    for (const host of ['evil.example', `evil.example:${set.inspector.port}`, '127.0.0.1', '127.0.0.1:1']) {
      for (const path of ['/', '/api/info']) {
        const answer = await raw(set, path, { headers: { host, ...key } });
        expect([host, path, answer.status]).toEqual([host, path, 403]);
        expect(answer.body).not.toContain('sources');
      }
    }
    const fine = await raw(set, '/api/info', { headers: { host: `localhost:${set.inspector.port}`, ...key } });
    expect(fine.status).toBe(200);
  });

  it('[I-4] a POST from another origin, or without an origin, is refused', async () => {
    const set = await stage(AGENT);
    const { key, origin } = set.browser;
    const body = JSON.stringify({ token: set.inspector.token });
    const { port } = set.inspector;
    const host = `127.0.0.1:${port}`;
    const others = [
      'https://evil.example',
      'null',
      `http://127.0.0.1:${port + 1}`,
      `https://127.0.0.1:${port}`,
      undefined,
    ];
    for (const other of others) {
      const headers = { host, ...POST_HEADERS, [KEY_HEADER]: key, ...(other !== undefined && { origin: other }) };
      const answer = await raw(set, '/api/login', { method: 'POST', headers, body });
      expect([other, answer.status, JSON.parse(answer.body).error?.code]).toEqual([other, 403, 'wrong-origin']);
    }
    const fine = await raw(set, '/api/login', { method: 'POST', headers: { host, origin, ...POST_HEADERS }, body });
    expect(fine.status).toBe(200);
    const crossSite = await set.browser.fetch('api/info', { headers: { 'sec-fetch-site': 'cross-site' } });
    expect(crossSite.status).toBe(403);
  });

  it('[I-4] a forged form is refused: it has neither the header nor the content type', async () => {
    const set = await stage(AGENT);
    const { origin, base, key } = set.browser;
    const forge = (headers: Record<string, string>) =>
      fetch(`${base}api/approvals/x`, {
        method: 'POST',
        headers: { origin, ...headers },
        body: '{"decision":"allow"}',
      });
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded', [KEY_HEADER]: key },
      { 'content-type': 'application/json' },
    ]) {
      const answer = await forge(headers);
      expect([answer.status, await codeOf(answer)]).toEqual([403, 'missing-header']);
    }
  });

  it('[I-4] every response has the strict policy: no inline scripts, frames or sniffing', async () => {
    const set = await stage(AGENT);
    for (const path of ['', 'api/info', 'api/nothing', 'nothing', 'api/conversations/x']) {
      const { headers } = await set.browser.fetch(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy, path).toContain("default-src 'none'");
      expect(policy, path).toContain("script-src 'self'");
      expect(policy, path).toContain("frame-ancestors 'none'");
      expect(policy, path).not.toMatch(/unsafe|\*/);
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(headers.get('access-control-allow-origin'), path).toBeNull();
    }
    const { headers } = await set.browser.fetch('api/info', { headers: { origin: 'https://evil.example' } });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it('[I-4] no path reaches a file outside the page', async () => {
    const set = await stage(AGENT);
    const key = { [KEY_HEADER]: set.browser.key };
    const host = `127.0.0.1:${set.inspector.port}`;
    for (const path of [
      '/../package.json',
      '/..%2f..%2fpackage.json',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/assets/../../package.json',
      '/assets/..%5c..%5cpackage.json',
      '//etc/passwd',
      '/index.html%00.js',
      '/api/conversations/..%2f..%2fetc%2fpasswd/entries',
      '/api/conversations/x/parts/..%2f..%2f1',
      '/api/recordings/..%2f..%2fetc%2fpasswd/frames',
    ]) {
      const answer = await raw(set, path, { headers: { host, ...key } });
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.body).not.toMatch(/root:|"name": "@coxswain/);
    }
  });

  it('[I-4] a script in a transcript is sent as JSON that a browser does not render as a page', async () => {
    const set = await stage(AGENT);
    const session = set.open();
    const events = set.browser.events();
    await events.until(({ type }) => type === 'snapshot');
    const turn = session.send('<img src=x onerror=alert(2)>');
    const { id } = await nextApproval(events);
    await set.browser.post(`api/approvals/${id}`, { decision: 'allow', scope: 'once' });
    await turn.result();
    const conversation = await onlyConversation(set.browser);
    for (const path of [`api/conversations/${conversation.id}/entries`, 'api/conversations', 'api/search?q=alert']) {
      const answer = await set.browser.fetch(path);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(await answer.text()).toContain('alert');
    }
    const markdown = await set.browser.fetch(`api/conversations/${conversation.id}/export?format=markdown`);
    expect(markdown.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(markdown.headers.get('content-type')).toMatch(/^text\/markdown/);
  });

  it('[I-4] the server listens on loopback only; another address needs allowedHosts and a token or auth', async () => {
    await expect(inspect([], { host: '0.0.0.0' })).rejects.toMatchObject({ code: 'options' });
    const token = 'a token of more than sixteen characters';
    await expect(inspect([], { host: '0.0.0.0', token })).rejects.toThrow('allowedHosts');
    await expect(inspect([], { host: '0.0.0.0', allowedHosts: ['boat.example'] })).rejects.toThrow('token');
    await expect(inspect([], { host: '0.0.0.0', allowedHosts: ['*.example'], token })).rejects.toThrow('wildcards');
    await expect(inspect([], { token: 'short' })).rejects.toThrow('16 characters');
    await using remote = await inspect([], { host: '0.0.0.0', allowedHosts: ['boat.example'], token });
    const answer = await fetch(`http://127.0.0.1:${remote.port}/api/info`, { headers: { host: 'boat.example' } });
    expect(answer.status).toBe(401);
  });

  it('[I-4] a large or broken body is refused', async () => {
    const { browser } = await stage(AGENT);
    const large = await browser.post('api/conversations/x/actions', { action: 'send', text: 'x'.repeat(1024 * 1024) });
    expect([large.status, await codeOf(large)]).toEqual([413, 'too-large']);
    const headers = { origin: browser.origin, 'content-type': 'application/json' };
    for (const body of ['', '[]', '{', 'null']) {
      expect((await browser.fetch('api/approvals/x', { method: 'POST', headers, body })).status).toBe(400);
    }
  });

  it('[I-4] a body without a length, as sent by streaming proxies, is read up to the limit', async () => {
    const errors: unknown[] = [];
    const { browser, inspector } = await stage(AGENT, { onError: (error) => errors.push(error) });
    const headers = { origin: browser.origin, ...POST_HEADERS };
    const sent = (pieces: readonly string[]) =>
      fetch(`${browser.base}api/login`, {
        method: 'POST',
        headers,
        body: ReadableStream.from(pieces).pipeThrough(new TextEncoderStream()),
        duplex: 'half',
      });
    const login = await sent(['{"token":', JSON.stringify(inspector.token), '}']);
    expect([login.status, await login.json()]).toEqual([200, { key: browser.key }]);
    const large = await sent(Array.from({ length: 20 }, () => 'x'.repeat(64 * 1024)));
    expect([large.status, await codeOf(large)]).toEqual([413, 'too-large']);
    // The connection cannot be used afterwards, but the server can.
    expect((await browser.fetch('api/info')).status).toBe(200);
    expect(errors).toEqual([]);
  });

  it('[I-4] preflights and other methods are refused without a server error', async () => {
    const errors: unknown[] = [];
    const { browser } = await stage(AGENT, { onError: (error) => errors.push(error) });
    const asked = (method: string, headers: Record<string, string>) =>
      browser.fetch('api/approvals/x', { method, headers: { ...POST_HEADERS, ...headers } });
    const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': KEY_HEADER };
    const foreign = await asked('OPTIONS', { origin: 'http://evil.example', ...preflight });
    expect([foreign.status, await codeOf(foreign)]).toEqual([403, 'wrong-origin']);
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    const key = { origin: browser.origin, [KEY_HEADER]: browser.key };
    for (const method of ['OPTIONS', 'DELETE', 'PUT', 'PATCH']) {
      expect([method, (await asked(method, key)).status]).toEqual([method, 404]);
    }
    expect(errors).toEqual([]);
  });
});

describe('read-only mode', () => {
  it('[I-5] refuses every action and every answer at the server, and offers none', async () => {
    const set = await stage(AGENT, { readOnly: true });
    const session = set.open();
    const events = set.browser.events();
    await events.until(({ type }) => type === 'snapshot');
    const turn = session.send('go');
    const approval = await nextApproval(events);
    const conversation = await onlyConversation(set.browser);
    expect(conversation.actions).toEqual([]);
    const bodies = [
      { action: 'send', text: 'x' },
      { action: 'steer', text: 'x' },
      { action: 'interrupt' },
      { action: 'cancel' },
      { action: 'fork' },
      { action: 'resume' },
      { action: 'rename', title: 'x' },
      { action: 'close' },
    ];
    for (const body of bodies) {
      const answer = await set.browser.post(`api/conversations/${conversation.id}/actions`, body);
      expect([body.action, answer.status, await codeOf(answer)]).toEqual([body.action, 403, 'read-only']);
    }
    for (const body of [{ decision: 'allow' }, { decision: 'deny' }, { decision: 'answer', answers: { a: 'b' } }]) {
      const answer = await set.browser.post(`api/approvals/${approval.id}`, body);
      expect([answer.status, await codeOf(answer)]).toEqual([403, 'read-only']);
    }
    expect((await set.browser.get<{ readOnly: boolean }>('api/info')).readOnly).toBe(true);
    await session.interrupt();
    await turn.result();
  });
});
