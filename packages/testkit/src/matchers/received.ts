import type { Collected, Message } from 'coxswain';
import type { ApiRequest } from '../fake-api/request.ts';
import type { FakeApi } from '../fake-api/server.ts';
import type { ScriptedRun } from '../scripted/runs.ts';

/** Messages to look at: those of `await stream.collect()`, a list, or one. */
export type ReceivedMessages = readonly Message[] | Collected | Message | undefined;

/** Runs of a scripted agent to look at: `runs()`, or one of them. */
export type ReceivedRuns = readonly ScriptedRun[] | ScriptedRun | undefined;

/** Requests to look at: a fake API, whose main conversation is meant, a list, or one. */
export type ReceivedRequests = FakeApi | readonly ApiRequest[] | ApiRequest | undefined;

/** Something a matcher was given, sorted out: of the three lists those that are not meant are empty. */
export interface Received {
  readonly kind: ReceivedKind | 'nothing';
  readonly messages: readonly Message[];
  /** What ended the stream that the messages are from, if it did not end well. */
  readonly failure: Error | undefined;
  readonly runs: readonly ScriptedRun[];
  readonly requests: readonly ApiRequest[];
}

/** What matchers are about. */
export type ReceivedKind = 'messages' | 'runs' | 'requests';

/**
 * Sorts out what a matcher was given. A list without items and `undefined` are nothing: there was no run, no request.
 * @throws TypeError for a promise, a stream that has not been read, and anything this matcher is not about
 */
export function sortOut(received: unknown, about: readonly ReceivedKind[]): Received {
  const sorted = sort(received);
  if (sorted.kind !== 'nothing' && !about.includes(sorted.kind)) {
    throw new TypeError(`This matcher is about ${about.join(' and ')}; it was given ${sorted.kind}.`);
  }
  return sorted;
}

function sort(received: unknown): Received {
  if (received === undefined || (Array.isArray(received) && received.length === 0)) return NOTHING;
  if (!isObject(received)) throw new TypeError(`${NOT_OURS} This is ${String(received)}.`);
  if (typeof received.then === 'function') throw new TypeError(`${NOT_OURS} This is a promise: await it first.`);
  if (typeof received.collect === 'function') {
    throw new TypeError(`${NOT_OURS} This is a stream: give it \`await stream.collect()\`.`);
  }
  return asCollected(received) ?? asList(Array.isArray(received) ? received : [received]);
}

const NOTHING: Received = { kind: 'nothing', messages: [], failure: undefined, runs: [], requests: [] };

const NOT_OURS =
  'A matcher of the test kit is about messages (`await stream.collect()`), runs of a scripted agent (`runs()`), or requests to a fake API.';

function asCollected(received: Fields): Received | undefined {
  if (!Array.isArray(received.items) || !Array.isArray(received.warnings)) return undefined;
  const { terminalError } = received;
  return {
    ...NOTHING,
    kind: 'messages',
    messages: received.items.flatMap(messagesIn),
    failure: terminalError instanceof Error ? terminalError : undefined,
  };
}

/** What the first item is, all are: the kinds are told apart by fields that only they have. */
function asList(items: readonly unknown[]): Received {
  const [first] = items;
  if (!isObject(first)) throw new TypeError(NOT_OURS);
  if ('argv' in first && 'prompts' in first) {
    return { ...NOTHING, kind: 'runs', runs: items as readonly ScriptedRun[] };
  }
  if ('conversation' in first && 'requests' in first) {
    return { ...NOTHING, kind: 'requests', requests: (items as readonly FakeApi[]).flatMap((api) => api.conversation) };
  }
  if ('lastUserText' in first) return { ...NOTHING, kind: 'requests', requests: items as readonly ApiRequest[] };
  if (typeof first.type !== 'string' && typeof first.kind !== 'string') throw new TypeError(NOT_OURS);
  return { ...NOTHING, kind: 'messages', messages: items.flatMap(messagesIn) };
}

/** The message of a stream item, or the message itself. */
function messagesIn(item: unknown): Message[] {
  if (!isObject(item)) return [];
  const message = item.kind === undefined ? item : item.kind === 'message' ? item.message : undefined;
  return isMessage(message) ? [message] : [];
}

/** Only `type` is certain of a message; the functions that read it take that into account. */
function isMessage(value: unknown): value is Message {
  return isObject(value) && typeof value.type === 'string';
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
