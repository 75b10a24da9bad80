import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplyIds } from './ids.ts';
import { streamActions, wholeMessage } from './message-stream.ts';
import type { Reply, ReplyStep } from './reply.ts';
import type { OpenRequest } from './request.ts';

/** Writes a reply; ends early without an error if `disconnected` reports that the client has disconnected. */
export async function respond(
  response: ServerResponse,
  request: OpenRequest,
  reply: Reply,
  ids: ReplyIds,
  disconnected: AbortSignal,
): Promise<void> {
  try {
    const steps = await waitFirst('type' in reply ? [reply] : reply, disconnected);
    const error = steps.find((step) => step.type === 'api_error');
    if (error !== undefined) {
      return respondError(response, error.status, error.errorType, error.message, error.headers);
    }
    if (request.stream) await stream(response, request, steps, ids, disconnected);
    else await plain(response, request, steps, ids, disconnected);
  } catch (error) {
    if (!disconnected.aborted) throw error;
  }
}

/** Writes a JSON body. */
export function respondJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** Writes an error in the API's format. */
export function respondError(
  response: ServerResponse,
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  respondJson(response, status, { type: 'error', error: { type, message } }, headers);
}

// Pauses at the start of a reply delay its headers, as with a slow model.
async function waitFirst(steps: readonly ReplyStep[], disconnected: AbortSignal): Promise<readonly ReplyStep[]> {
  const first = steps.findIndex((step) => step.type !== 'delay' && step.type !== 'until');
  const rest = first === -1 ? steps.length : first;
  for (const step of steps.slice(0, rest)) {
    if (step.type === 'delay') await pause(step.ms, disconnected);
    if (step.type === 'until') await settled(step.promise, disconnected);
  }
  return steps.slice(rest);
}

async function stream(
  response: ServerResponse,
  request: OpenRequest,
  steps: readonly ReplyStep[],
  ids: ReplyIds,
  disconnected: AbortSignal,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  for (const action of streamActions(steps, request.model, ids)) {
    if (action.type === 'pause') await pause(action.ms, disconnected);
    else if (action.type === 'wait') await settled(action.promise, disconnected);
    else if (action.type === 'cut') return cut(response, request);
    else await write(response, `event: ${action.event.type}\ndata: ${JSON.stringify(action.event)}\n\n`, disconnected);
  }
  response.end();
}

async function plain(
  response: ServerResponse,
  request: OpenRequest,
  steps: readonly ReplyStep[],
  ids: ReplyIds,
  disconnected: AbortSignal,
): Promise<void> {
  for (const step of steps) {
    if (step.type === 'delay') await pause(step.ms, disconnected);
    if (step.type === 'until') await settled(step.promise, disconnected);
  }
  const body = wholeMessage(steps, request.model, ids);
  const failure = steps.find((step) => step.type === 'stream_error');
  if (failure !== undefined) {
    return respondError(response, 500, failure.errorType, failure.message);
  }
  if (!steps.some((step) => step.type === 'cut')) return respondJson(response, 200, body);
  response.writeHead(200, { 'content-type': 'application/json' });
  const json = JSON.stringify(body);
  await write(response, json.slice(0, json.length / 2), disconnected);
  cut(response, request);
}

function cut(response: ServerResponse, request: OpenRequest): void {
  request.state = 'cut';
  response.destroy();
}

async function pause(ms: number, disconnected: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: disconnected });
}

async function settled(promise: Promise<unknown>, disconnected: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => reject(disconnected.reason);
    if (disconnected.aborted) return stop();
    disconnected.addEventListener('abort', stop, { once: true });
    const go = (): void => {
      disconnected.removeEventListener('abort', stop);
      resolve();
    };
    promise.then(go, go);
  });
}

// A cut must not overtake earlier output, so every write is awaited.
async function write(response: ServerResponse, chunk: string, disconnected: AbortSignal): Promise<void> {
  disconnected.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    response.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}
