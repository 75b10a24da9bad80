import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type {
  ApiFailure,
  Approval,
  Conversation,
  ConversationsPage,
  Entry,
  QueueInfo,
  ServerEvent,
  Stats,
  TurnInfo,
} from '../../src/api.ts';
import { matches } from '../../src/conversations/list-filter.ts';
import { isFailure } from '../../src/conversations/outcome.ts';
import { SECURITY_HEADERS } from '../../src/server/security-headers.ts';

/** The data of the staged server. Tests change it and push events. */
export interface Stage {
  conversations: Conversation[];
  approvals: Approval[];
  /** The number of entries of a conversation, and each of them. */
  total: (conversation: string) => number;
  entry: (conversation: string, n: number) => Entry;
  turns: (conversation: string) => readonly TurnInfo[];
  /** The full texts of cut entries, by the last part of their URL. */
  parts: Map<string, string>;
  stats: Stats;
  queues: readonly QueueInfo[];
  readOnly: boolean;
  demo: boolean;
}

/** A server with the routes of api.ts over staged data, for views that real agents cannot produce, or not immediately. */
export class StagedServer {
  readonly stage: Stage;
  readonly posts: { readonly path: string; readonly body: unknown }[] = [];
  #server: Server | undefined;
  #port = 0;
  #seq = 1;
  /** Cursors of an earlier process are unknown. */
  #boot = 1;
  readonly #held: { readonly part: string; readonly until: Promise<void>; readonly seen: () => void }[] = [];
  readonly #streams = new Set<ServerResponse>();
  /** Pushed events, for a page that reconnects, as it does when it opens a conversation. */
  readonly #pushed: { readonly seq: number; readonly text: string }[] = [];

  constructor(stage: Stage) {
    this.stage = stage;
  }

  /** Listens, on the same port as before if there was one. */
  async start(): Promise<string> {
    const server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
    this.#server = server;
    await new Promise<void>((listening) => server.listen(this.#port, '127.0.0.1', listening));
    this.#port = (server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** Drops all connections, like a crash. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise<void>((done) => server.close(() => done()));
    server.closeAllConnections();
    this.#streams.clear();
    await closed;
  }

  /** Restarts as another process: readers get a snapshot. */
  async restart(): Promise<void> {
    await this.stop();
    this.#boot++;
    await this.start();
  }

  /**
   * Delays the response to the next request with this part in its URL; its content is that at the time of the request. `asked`
   * resolves when the request arrives; `release` sends the response.
   */
  hold(part: string): { readonly asked: Promise<void>; readonly release: () => void } {
    let seen = (): void => {};
    let release = (): void => {};
    const asked = new Promise<void>((resolve) => {
      seen = resolve;
    });
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = { part, until, seen };
    this.#held.push(held);
    return { asked, release };
  }

  push(event: ServerEvent): void {
    this.#seq++;
    const text = `id: ${this.#cursor()}\ndata: ${JSON.stringify(event)}\n\n`;
    this.#pushed.push({ seq: this.#seq, text });
    for (const stream of this.#streams) stream.write(text);
  }

  /** The first event of a stream, and of a stream that cannot be resumed. */
  snapshot(): ServerEvent {
    // #read() returns the response of the route.
    const page = this.#read(new URL('http://localhost/api/conversations')) as ConversationsPage;
    return { type: 'snapshot', page, approvals: this.stage.approvals };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    if (!url.pathname.startsWith('/api/')) return this.#file(url.pathname, response);
    if (request.method === 'POST') return this.#post(request, response, url.pathname);
    if (url.pathname === '/api/events') return this.#events(response, url);
    const body = this.#read(url);
    await this.#heldBack(url);
    if (body === undefined) response.statusCode = 404;
    if (typeof body === 'string') response.setHeader('content-type', 'text/plain; charset=utf-8').end(body);
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(body ?? NOT_FOUND));
  }

  async #heldBack(url: URL): Promise<void> {
    const at = this.#held.findIndex(({ part }) => url.href.includes(part));
    const [held] = at === -1 ? [] : this.#held.splice(at, 1);
    held?.seen();
    await held?.until;
  }

  #cursor(): string {
    return `${this.#boot}.${this.#seq}`;
  }

  #events(response: ServerResponse, url: URL): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('retry: 100\n\n');
    const [boot, after] = (url.searchParams.get('after') ?? '').split('.').map(Number);
    if (boot === this.#boot) {
      for (const { seq, text } of this.#pushed) if (seq > Number(after)) response.write(text);
    } else {
      response.write(`id: ${this.#cursor()}\ndata: ${JSON.stringify(this.snapshot())}\n\n`);
    }
    this.#streams.add(response);
    response.on('close', () => this.#streams.delete(response));
  }

  #read(url: URL): unknown {
    const { stage } = this;
    const number = (name: string, otherwise: number): number => Number(url.searchParams.get(name) ?? otherwise);
    const [, , what, id = '', part, last = ''] = url.pathname.split('/').map(decodeURIComponent);
    const cursor = this.#cursor();
    if (what === 'info') {
      const has = { queues: false, recordings: false, stats: true };
      return { version: '0.0.0', readOnly: stage.readOnly, demo: stage.demo, user: null, sources: [], has, cursor };
    }
    if (what === 'stats') return stage.stats;
    if (what === 'queues') return { queues: stage.queues };
    if (what === 'search') return { hits: [], complete: true };
    if (what === 'approvals') return { approvals: stage.approvals, answered: [] };
    if (id !== '' && !stage.conversations.some((each) => each.id === id)) return undefined;
    if (part === 'parts') return stage.parts.get(last) ?? '';
    if (part === 'turns') return { turns: stage.turns(id), from: 0, total: stage.turns(id).length };
    if (part === 'entries') {
      const total = stage.total(id);
      const wanted = number('from', 0);
      if (!Number.isInteger(wanted)) return undefined;
      const from = Math.min(total, Math.max(0, wanted < 0 ? total + wanted : wanted));
      const to = Math.min(total, from + number('limit', 200));
      const entries = Array.from({ length: to - from }, (_, at) => stage.entry(id, from + at));
      return { entries, from, total, cursor };
    }
    if (id !== '') {
      const conversation = stage.conversations.find((each) => each.id === id);
      const costByModel = conversation?.model ? { [conversation.model]: conversation.cost } : {};
      return { conversation, costByModel, approvals: [], tasks: [], setup: {}, children: [], cursor };
    }
    const states = { 'needs-me': 0, running: 0, waiting: 0, idle: 0, done: 0, failed: 0 };
    for (const { state } of stage.conversations) states[state]++;
    const failures = stage.conversations.filter(isFailure).length;
    const listed = (name: string): string[] => (url.searchParams.get(name) ?? '').split(',').filter(Boolean);
    const filter = { states: listed('state'), outcomes: listed('outcome'), q: url.searchParams.get('q') ?? '' };
    const found = stage.conversations.filter((each) => matches(each, { ...filter, ...UNFILTERED }));
    const conversations = found.slice(number('offset', 0), number('offset', 0) + number('limit', 200));
    return { conversations, total: found.length, states, failures, cursor };
  }

  async #post(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    this.posts.push({ path, body: JSON.parse(text) });
    await this.#heldBack(new URL(path, 'http://localhost'));
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ ok: true, conversation: null }));
  }

  async #file(path: string, response: ServerResponse): Promise<void> {
    const name = normalize(path === '/' ? 'index.html' : path).replace(/^(\.\.[/\\])+/, '');
    const body = await readFile(join(PAGE, name));
    response.setHeader('content-type', TYPES[extname(name)] ?? 'application/octet-stream').end(body);
  }
}

const UNFILTERED = { key: '', model: '', source: '', day: '' };
const NOT_FOUND = { error: { code: 'not-found', message: 'There is no such conversation here.' } } satisfies ApiFailure;
const PAGE = fileURLToPath(new URL('../../dist/page', import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
