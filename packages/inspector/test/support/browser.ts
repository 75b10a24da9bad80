import type { Conversation, LoginAnswer, ServerEvent } from '../../src/api.ts';
import type { Inspector } from '../../src/inspect.ts';

/** The header with the key of the page. */
export const KEY_HEADER = 'x-coxswain-inspector';

/** The headers that the page sends with a POST before it has a key. */
export const POST_HEADERS = { 'content-type': 'application/json', [KEY_HEADER]: '1' };

/** Sends requests to an inspector like its page. */
export class Browser {
  readonly origin: string;
  readonly base: string;
  /** From the login; `1` for servers with their own login. */
  key = '1';
  readonly #token: string;
  readonly #streams: AbortController[] = [];

  constructor(inspector: Pick<Inspector, 'url' | 'token'>) {
    const url = new URL(inspector.url);
    this.origin = url.origin;
    this.base = `${url.origin}${url.pathname}`;
    this.#token = inspector.token;
  }

  async login(): Promise<this> {
    const answer = await this.post('api/login', { token: this.#token });
    if (!answer.ok) throw new Error(`login: ${answer.status} ${await answer.text()}`);
    this.key = ((await answer.json()) as LoginAnswer).key;
    return this;
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.base}${path}`, { ...init, headers: { [KEY_HEADER]: this.key, ...init.headers } });
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const all = { origin: this.origin, 'content-type': 'application/json', ...headers };
    return this.fetch(path, { method: 'POST', headers: all, body: JSON.stringify(body) });
  }

  /** The JSON of a response. @throws if the status is not 2xx */
  async get<T>(path: string): Promise<T> {
    const answer = await this.fetch(path);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  async conversations(): Promise<readonly Conversation[]> {
    return (await this.get<{ conversations: Conversation[] }>('api/conversations')).conversations;
  }

  events(query = '', lastEventId?: string): EventReader {
    const controller = new AbortController();
    this.#streams.push(controller);
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const answer = this.fetch(`api/events${query}`, { signal: controller.signal, headers });
    return new EventReader(answer, () => controller.abort());
  }

  /** Ends its event streams. */
  close(): void {
    for (const stream of this.#streams) stream.abort();
  }
}

/** Reads server-sent events. */
export class EventReader {
  readonly seen: { readonly id: string; readonly event: ServerEvent; readonly at: number }[] = [];
  readonly close: () => void;
  /** Settles when the stream ends. */
  readonly over: Promise<void>;
  readonly #waiting = new Set<() => void>();

  constructor(answer: Promise<Response>, close: () => void) {
    this.close = close;
    this.over = this.#read(answer).catch(() => {});
  }

  get lastId(): string | undefined {
    return this.seen.at(-1)?.id;
  }

  /** The first event, from the beginning, for which `wanted` returns true. */
  async until<E extends ServerEvent>(wanted: (event: ServerEvent) => event is E, ms?: number): Promise<E>;
  async until(wanted: (event: ServerEvent) => boolean, ms?: number): Promise<ServerEvent>;
  async until(wanted: (event: ServerEvent) => boolean, ms = 20_000): Promise<ServerEvent> {
    const deadline = Date.now() + ms;
    for (;;) {
      const found = this.seen.find(({ event }) => wanted(event));
      if (found) return found.event;
      const left = deadline - Date.now();
      if (left <= 0)
        throw new Error(`No such event; there were: ${this.seen.map(({ event }) => event.type).join(', ')}`);
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          this.#waiting.delete(done);
          resolve();
        };
        const timer = setTimeout(done, left);
        this.#waiting.add(done);
      });
    }
  }

  async #read(pending: Promise<Response>): Promise<void> {
    const answer = await pending;
    if (!answer.ok || !answer.body) throw new Error(`events: ${answer.status}`);
    let text = '';
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block);
    }
  }

  #take(block: string): void {
    const id = /^id: (.*)$/m.exec(block)?.[1];
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (id === undefined || data === undefined) return;
    this.seen.push({ id, event: JSON.parse(data), at: Date.now() });
    for (const wake of [...this.#waiting]) wake();
  }
}
