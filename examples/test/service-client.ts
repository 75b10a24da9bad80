import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from 'coxswain';
import type { Waiting } from '../service/approvals.ts';
import { Service } from '../service/service.ts';

/** The service of examples/service on a port of its own, with its folder, and what its users do. Every wait is bounded. */
export class ServiceClient {
  readonly announced: Waiting[] = [];
  readonly #folder: string;
  #service: Service | undefined;
  #url = '';

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(client: Client, usdPerDay = 1): Promise<ServiceClient> {
    const opened = new ServiceClient(await mkdtemp(join(tmpdir(), 'cox-service-')));
    await opened.start(client, usdPerDay);
    return opened;
  }

  async start(client: Client, usdPerDay = 1): Promise<void> {
    this.#service = new Service({
      client,
      folder: this.#folder,
      customers: { 'token-of-ann': 'ann', 'token-of-bob': 'bob' },
      staffToken: 'token-of-staff',
      usdPerDay,
      announce: (waiting) => this.announced.push(waiting),
    });
    this.#url = `http://127.0.0.1:${await this.#service.listen(0)}`;
  }

  stop(graceMs = 5_000): Promise<void> {
    return this.#service?.close(graceMs) ?? Promise.resolve();
  }

  call(token: string, path: string, body?: unknown): Promise<Response> {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const headers = { authorization: `Bearer token-of-${token}` };
    return fetch(this.#url + path, { ...init, headers, signal: AbortSignal.timeout(30_000) });
  }

  async send(customer: string, id: string, prompt: string): Promise<number> {
    const response = await this.call(customer, `/conversations/${id}/prompts`, { prompt });
    await response.body?.cancel();
    return response.status;
  }

  /** The events of a conversation up to the first one of this type. */
  async eventsUntil(customer: string, id: string, type: string, after = 0): Promise<Record<string, unknown>[]> {
    const headers = { authorization: `Bearer token-of-${customer}`, 'last-event-id': `${after}` };
    const signal = AbortSignal.timeout(30_000);
    const response = await fetch(`${this.#url}/conversations/${id}/events`, { headers, signal });
    const events: Record<string, unknown>[] = [];
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop() ?? '';
      events.push(...blocks.map((block) => JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '{}')));
      if (events.some((event) => event.type === type)) break; // leaving the loop closes the connection
    }
    return events;
  }

  async waiting(): Promise<Waiting[]> {
    const response = await this.call('staff', '/approvals');
    return (await response.json()) as Waiting[]; // what the service above lists
  }

  async answer(hash: string, answer: unknown): Promise<number> {
    const response = await this.call('staff', `/approvals/${hash}`, answer);
    await response.body?.cancel();
    return response.status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop(0);
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}
