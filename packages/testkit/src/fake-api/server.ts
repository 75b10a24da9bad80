import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COUNT, either, type Kind, type KindsOf, OBJECT } from '@coxswain/shared/option-kinds';
import { checkOptions } from '../check-options.ts';
import { directoryPrefix, sweepStaleDirectories } from '../stale-directories.ts';
import { agentOptionsFor, type FakeApiAgentOptions } from './agent-options.ts';
import { idMaker } from './ids.ts';
import type { Reply } from './reply.ts';
import { type ApiRequest, type OpenRequest, recordRequest } from './request.ts';
import { RequestLog, type WaitOptions } from './request-log.ts';
import { respond, respondError, respondJson } from './respond.ts';
import { type ApiScript, playScript } from './script.ts';

/** A Messages API on loopback that answers from its script and records the requests. */
export interface FakeApi extends AsyncDisposable {
  /** The value for `ANTHROPIC_BASE_URL`. */
  readonly url: string;
  /** Spread these into the options of a query, a session or a client to connect its CLI only to this API. */
  readonly agentOptions: FakeApiAgentOptions;
  /** Every request, in order of arrival. */
  readonly requests: readonly ApiRequest[];
  /** Only the requests of the main conversation. */
  readonly conversation: readonly ApiRequest[];
  /** Requests without a scripted reply, and errors thrown by the script's functions. */
  readonly problems: readonly string[];
  /**
   * The first request, past or future, that matches.
   * @throws Error if none arrives within `timeoutMs` (10 s) or the server is closed.
   */
  waitForRequest(fits: (request: ApiRequest) => boolean, options?: WaitOptions): Promise<ApiRequest>;
  /** Closes all connections, stops, and removes the home directory of `agentOptions`. */
  close(): Promise<void>;
}

/** Options of {@link startFakeApi}. */
export interface FakeApiOptions {
  /** The reply once no scripted reply is left; without it, such a request gets an explanatory 500. */
  readonly fallback?: Reply;
  /** How many requests are kept, the newest ones: each contains the whole conversation. All by default. */
  readonly keep?: number;
}

/**
 * Starts a fake Messages API, so that the real CLI runs offline and follows the script of the test.
 * @throws OptionsError for unknown options and parts of the script
 */
export async function startFakeApi(script: ApiScript = [], options: FakeApiOptions = {}): Promise<FakeApi> {
  checkOptions('startFakeApi()', options, KINDS);
  const source = playScript(script, options.fallback);
  const log = new RequestLog(options.keep);
  const problems: string[] = [];
  const nextIds = idMaker();
  const startedAt = performance.now();

  async function serve(incoming: IncomingMessage, response: ServerResponse, disconnected: AbortSignal): Promise<void> {
    const body = await readAll(incoming);
    const { method = '', url = '', headers } = incoming;
    const at = Math.round(performance.now() - startedAt);
    const request = recordRequest({ seq: log.next, at, method, url, headers, body });
    response.on('close', () => noteEnd(request, response));
    log.add(request);
    if (answerAside(request, body, response)) return;
    const reply = await source.next(request);
    if (reply !== undefined) return respond(response, request, reply, nextIds(), disconnected);
    fail(response, `The fake API's script has run out: ${describeRequest(request)} has no reply.`);
  }

  // The header prevents the CLI from retrying ten times.
  function fail(response: ServerResponse, message: string): void {
    problems.push(message);
    if (response.headersSent) return void response.destroy();
    respondError(response, 500, 'api_error', message, { 'x-should-retry': 'false' });
  }

  const server = createServer((incoming, response) => {
    const disconnected = new AbortController();
    response.on('error', () => {});
    response.on('close', () => disconnected.abort());
    serve(incoming, response, disconnected.signal).catch((error: unknown) => {
      // A write may detect the disconnection of the client before the close event; that is not an error.
      if (disconnected.signal.aborted || isDisconnection(error)) return;
      fail(response, `The fake API's script failed: ${error instanceof Error ? error.message : String(error)}`);
    });
  });
  // The CLI keeps its connection between turns; Node's default of 5 s would close it during a slow test.
  server.keepAliveTimeout = 0;
  const home = await mkdtemp(join(tmpdir(), directoryPrefix('fake-api')));
  void sweepStaleDirectories(tmpdir());
  const url = `http://127.0.0.1:${await listen(server)}`;
  const agentOptions = await agentOptionsFor(url, home);

  let closed: Promise<void> | undefined;
  function close(): Promise<void> {
    closed ??= stop();
    return closed;
  }

  async function stop(): Promise<void> {
    log.close();
    const stopped = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await stopped;
    // An exiting CLI may still write its transcript.
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }

  return {
    url,
    agentOptions,
    requests: log.requests,
    get conversation() {
      return log.requests.filter((request) => request.isMainConversation);
    },
    problems,
    waitForRequest: (fits, wait) => log.waitFor(fits, wait),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const LIST: Kind = { is: Array.isArray, what: 'a list of steps' };
const KINDS: KindsOf<Required<FakeApiOptions>> = { fallback: either(OBJECT, LIST), keep: COUNT };

function isDisconnection(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The fake API has no port.');
  return address.port;
}

async function readAll(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

// Answers requests other than messages: token counts, the connectivity check of older releases, unknown paths.
function answerAside(request: ApiRequest, body: string, response: ServerResponse): boolean {
  if (request.kind === 'count-tokens') {
    respondJson(response, 200, { input_tokens: Math.ceil(body.length / 4) });
  } else if (request.kind !== 'other') {
    return false;
  } else if (request.method === 'HEAD' && request.path === '/') {
    response.writeHead(200).end();
  } else {
    const message = `The fake API does not serve ${request.method} ${request.path}.`;
    respondError(response, 404, 'not_found_error', message);
  }
  return true;
}

function noteEnd(request: OpenRequest, response: ServerResponse): void {
  if (request.state === 'open') request.state = response.writableFinished ? 'answered' : 'aborted';
}

function describeRequest(request: ApiRequest): string {
  const said = JSON.stringify(request.lastUserText.slice(0, 80));
  return `request ${request.seq} (${request.kind}, last user text ${said})`;
}
