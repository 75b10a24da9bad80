import { signal } from '@preact/signals';
import type {
  Action,
  ActionResult,
  AnsweredApproval,
  ApiErrorCode,
  ApiFailure,
  ApprovalAnswer,
  LoginAnswer,
  QueueAction,
} from '../../api.ts';
import { keepKey, keyToSend, requireProof } from './key.ts';

/** The server refused a request, or is unreachable (`code` is then `unreachable`). The message is for people. */
export class RequestError extends Error {
  readonly code: ApiErrorCode | 'unreachable';
  readonly answered: AnsweredApproval | undefined;

  constructor(code: ApiErrorCode | 'unreachable', message: string, answered?: AnsweredApproval) {
    super(message);
    this.name = 'RequestError';
    this.code = code;
    this.answered = answered;
  }
}

/** The fields of `RequestInit` that the page uses. */
interface RequestOptions extends Pick<RequestInit, 'method' | 'body' | 'signal'> {
  readonly headers?: Readonly<Record<string, string>>;
}

/** Whether the server requires a token first. */
export const loginNeeded = signal(false);

/** Why the last token was refused. */
export const loginProblem = signal<string | null>(null);

/** Fetches a JSON document. */
export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await request(path, signal ? { signal } : {});
  // The server sends the types of api.ts.
  return (await response.json()) as T;
}

/** Fetches a text. */
export async function getText(path: string): Promise<string> {
  return (await request(path)).text();
}

/** Performs an action on a conversation. */
export function act(conversation: string, action: Action): Promise<ActionResult> {
  return post(`api/conversations/${encodeURIComponent(conversation)}/actions`, action);
}

/** Performs an action on a queued turn. */
export function actOnQueue(queue: string, action: QueueAction): Promise<ActionResult> {
  return post(`api/queues/${encodeURIComponent(queue)}/actions`, action);
}

/** Answers an approval. */
export function answerApproval(id: string, answer: ApprovalAnswer): Promise<ActionResult> {
  return post(`api/approvals/${encodeURIComponent(id)}`, answer);
}

/** Exchanges the token for the key. */
export async function login(token: string): Promise<void> {
  const { key } = await post<LoginAnswer>('api/login', { token });
  keepKey(key);
  loginNeeded.value = false;
}

/** Posts a JSON document and reads the response. */
export async function post<T>(path: string, body: unknown): Promise<T> {
  const response = await request(path, sending(body));
  // The server sends the types of api.ts.
  return (await response.json()) as T;
}

function sending(body: unknown): RequestOptions {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** Sends a request; resolves only with 2xx responses. */
export async function request(path: string, init: RequestOptions = {}): Promise<Response> {
  let response: Response;
  let isSent = false;
  try {
    const headers = { ...init.headers, 'x-coxswain-inspector': await keyToSend() };
    isSent = init.method === 'POST';
    response = await fetch(path, { ...init, headers, credentials: 'same-origin' });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    requireProof();
    throw new RequestError(
      'unreachable',
      isSent
        ? 'The connection was lost before the server answered. The action may have succeeded: check before you try again.'
        : 'The server cannot be reached. Nothing was done; try again when it is available.',
    );
  }
  if (response.ok) return response;
  throw await failureOf(response);
}

async function failureOf(response: Response): Promise<RequestError> {
  let failure: ApiFailure['error'] | undefined;
  try {
    failure = ((await response.json()) as ApiFailure).error; // not JSON if a proxy answered
  } catch {
    failure = undefined;
  }
  if (failure?.code === 'not-logged-in') loginNeeded.value = true;
  const message = failure?.message ?? `The server answered with status ${response.status}.`;
  return new RequestError(failure?.code ?? 'failed', message, failure?.answered);
}
