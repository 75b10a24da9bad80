import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type Client, isCoxswainError } from 'coxswain';
import { fileStore } from 'coxswain/store';
import { Approvals, type Waiting } from './approvals.ts';
import { Budgets } from './budgets.ts';
import { Conversations, Refused } from './conversations.ts';
import { page } from './page.ts';

// #region options
export interface ServiceOptions {
  readonly client: Client;
  /** Conversations, approvals and budgets. A volume that survives restarts. */
  readonly folder: string;
  /** Customers by their tokens. */
  readonly customers: Readonly<Record<string, string>>;
  /** For the people who answer approvals. No agent may be able to read it. */
  readonly staffToken: string;
  readonly usdPerDay: number;
  /** Informs people about a call that waits. */
  readonly announce: (waiting: Waiting) => void;
}
// #endregion

// #region service
export class Service {
  readonly #server: Server;
  readonly #conversations: Conversations;
  readonly #approvals: Approvals;
  readonly #options: ServiceOptions;

  constructor(options: ServiceOptions) {
    const { client, folder, customers, usdPerDay, announce } = options;
    this.#options = options;
    this.#approvals = new Approvals(join(folder, 'approvals'), Object.values(customers), announce);
    this.#conversations = new Conversations({
      client,
      store: fileStore(join(folder, 'conversations')),
      approvals: this.#approvals,
      budgets: new Budgets(join(folder, 'budgets.json'), usdPerDay),
    });
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  /** Listens on loopback: a proxy in front of it has the certificate. Resolves with the port. */
  async listen(port: number): Promise<number> {
    await this.#conversations.resumeAnswered();
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    const address = this.#server.address();
    return typeof address === 'object' && address ? address.port : port;
  }

  /** Takes no new requests, lets turns end for a while, and keeps what waits for people. */
  async close(graceMs: number): Promise<void> {
    const closed = new Promise<unknown>((resolve) => this.#server.close(resolve));
    await this.#conversations.close(graceMs);
    this.#server.closeAllConnections();
    await closed;
  }
  // #endregion

  // #region errors
  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#route(request, response);
    } catch (error) {
      const status = error instanceof Refused ? error.status : isCoxswainError(error, 'options') ? 400 : 500;
      if (status === 500) console.error(error); // details are for the log, not for customers
      if (response.headersSent) response.destroy();
      else reply(response, status, { error: error instanceof Refused ? error.message : `status ${status}` });
    }
  }
  // #endregion

  // #region routes
  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, place = '', id = '', what = ''] = (request.url ?? '').split('/');
    const route = `${request.method} ${place}`;
    if (route === 'GET health') return reply(response, 200, {});
    if (route === 'GET page') return void response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';

    if (place === 'approvals') {
      if (token !== this.#options.staffToken) throw new Refused(401, 'Not a token of the staff.');
      if (request.method === 'GET') return reply(response, 200, await this.#approvals.all());
      await this.answer(id, await bodyOf(request));
      return reply(response, 200, {});
    }
    const customer = Object.hasOwn(this.#options.customers, token) ? this.#options.customers[token] : undefined;
    if (customer === undefined) throw new Refused(401, 'Not a token of a customer.');
    if (place !== 'conversations' || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))
      throw new Refused(404, 'POST /conversations/<uuid>/prompts, GET /conversations/<uuid>/events');
    if (request.method === 'GET' && what === 'events') {
      const { events } = await this.#conversations.at(customer, id);
      return events.follow(response, Number(request.headers['last-event-id'] ?? 0));
    }
    const { prompt } = await bodyOf(request);
    if (what !== 'prompts' || typeof prompt !== 'string' || prompt === '') throw new Refused(400, 'No prompt.');
    await this.#conversations.send(customer, id, prompt);
    reply(response, 202, {});
  }

  /** An answer to what waits, from the page or the terminal. */
  async answer(hash: string, given: unknown): Promise<void> {
    const answered = await this.#approvals.answer(hash, given);
    if (answered === 'unknown') throw new Refused(404, 'Nothing with this hash waits.');
    if (answered === 'answered') throw new Refused(409, 'Somebody has answered before.');
    if (answered !== 'accepted') await this.#conversations.at(answered.customer, answered.parked.sessionId);
  }
  // #endregion
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  if (Number(request.headers['content-length'] ?? 0) > 100_000) throw new Refused(413, 'Too long.');
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > 100_000) throw new Refused(413, 'Too long.');
  }
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null) return { ...body };
  } catch {
    // Reported below.
  }
  throw new Refused(400, 'The body must be a JSON object.');
}
