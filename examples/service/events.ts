import type { ServerResponse } from 'node:http';

/** What a customer sees of a conversation. */
export type ServiceEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool'; readonly name: string }
  | { readonly type: 'waiting'; readonly tool: string }
  | { readonly type: 'restarting' }
  | { readonly type: 'done'; readonly outcome: string; readonly text: string; readonly costUsd: number }
  | { readonly type: 'failed'; readonly code: string };

// #region events
/** The newest events of a conversation, and the browsers that follow them as server-sent events. */
export class Events {
  #next = 1;
  #newest: { id: number; event: ServiceEvent }[] = [];
  readonly #readers = new Set<ServerResponse>();

  add(event: ServiceEvent): void {
    const item = { id: this.#next, event };
    this.#next += 1;
    this.#newest = [...this.#newest.slice(-999), item];
    for (const reader of this.#readers) this.#write(reader, item);
  }

  /** Sends what came after the event that the browser has seen last; it reconnects with that number. */
  follow(response: ServerResponse, after: number): void {
    if (this.#readers.size >= 20) return void response.writeHead(503).end();
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).flushHeaders();
    for (const item of this.#newest) if (item.id > after) this.#write(response, item);
    this.#readers.add(response);
    response.once('close', () => this.#readers.delete(response));
  }

  end(): void {
    for (const reader of this.#readers) reader.end();
  }

  #write(response: ServerResponse, { id, event }: { id: number; event: ServiceEvent }): void {
    // Text arrives in hundreds of pieces. A browser that does not read is disconnected, and may come back.
    if (response.writableLength > 1_000_000) response.destroy();
    else response.write(`id: ${id}\ndata: ${JSON.stringify(event)}\n\n`);
  }
}
// #endregion
