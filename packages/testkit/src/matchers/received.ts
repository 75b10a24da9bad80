import type { Collected, Message } from 'coxswain';
import type { ApiRequest } from '../fake-api/request.ts';
import type { FakeApi } from '../fake-api/server.ts';
import type { ScriptedRun } from '../scripted/runs.ts';

/** Messages to check: the result of `await stream.collect()`, a list, or one message. */
export type ReceivedMessages = readonly Message[] | Collected | Message | undefined;

/** Runs of a scripted agent to check: `runs()`, or one of them. */
export type ReceivedRuns = readonly ScriptedRun[] | ScriptedRun | undefined;

/** Requests to check: a fake API (its main conversation), a list, or one request. */
export type ReceivedRequests = FakeApi | readonly ApiRequest[] | ApiRequest | undefined;

/** Rehearsals to check: what `rehearse()` or `rehearseAll()` of `@coxswain/rehearsal` returns. */
export type ReceivedRehearsals = readonly ReceivedRehearsal[] | ReceivedRehearsal | undefined;

/** The part of a rehearsal that matchers read; one that could not run has a `failure`. */
export interface ReceivedRehearsal {
  readonly scenario: string;
  readonly differences?: readonly {
    readonly subject: string;
    readonly before: string;
    readonly after: string;
    readonly reason?: string;
  }[];
  readonly failure?: string;
}

/** The argument of a matcher, sorted by kind: all lists but one are empty. */
export interface Received {
  readonly kind: ReceivedKind | 'nothing';
  readonly messages: readonly Message[];
  /** The error that ended the stream of these messages, if any. */
  readonly failure: Error | undefined;
  readonly runs: readonly ScriptedRun[];
  readonly requests: readonly ApiRequest[];
  readonly rehearsals: readonly ReceivedRehearsal[];
}

/** The kinds of values that matchers accept. */
export type ReceivedKind = 'messages' | 'runs' | 'requests' | 'rehearsals';

/**
 * Sorts the argument of a matcher. An empty list means that no run or request happened.
 * @throws TypeError for `undefined`, a promise, an unread stream, and any value that this matcher does not accept:
 * `not.toHaveRunTool()` would pass for all of them
 */
export function sortOut(received: unknown, about: readonly ReceivedKind[]): Received {
  const sorted = sort(received);
  if (sorted.kind !== 'nothing' && !about.includes(sorted.kind)) {
    throw new TypeError(`This matcher checks ${about.join(' and ')}; it received ${sorted.kind}.`);
  }
  return sorted;
}

function sort(received: unknown): Received {
  if (Array.isArray(received) && received.length === 0) return NOTHING;
  if (received === undefined) throw new TypeError(`${NOT_OURS} This is undefined: there is no such item.`);
  if (!isObject(received)) throw new TypeError(`${NOT_OURS} This is ${String(received)}.`);
  if (typeof received.then === 'function') throw new TypeError(`${NOT_OURS} This is a promise: await it first.`);
  if (typeof received.collect === 'function') {
    throw new TypeError(`${NOT_OURS} This is a stream: pass \`await stream.collect()\`.`);
  }
  return asCollected(received) ?? asList(Array.isArray(received) ? received : [received]);
}

const NOTHING: Received = { kind: 'nothing', messages: [], failure: undefined, runs: [], requests: [], rehearsals: [] };

const NOT_OURS =
  'A matcher of the test kit accepts messages (`await stream.collect()`), runs of a scripted agent (`runs()`), requests to a fake API, or rehearsals.';

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

/** Sorts a list. All items must be of the kind of the first; the kinds differ in their fields. */
function asList(items: readonly unknown[]): Received {
  const kinds = items.map(kindOf);
  const [kind] = kinds;
  const other = kinds.find((each) => each !== kind);
  if (kind === undefined) throw new TypeError(NOT_OURS);
  if (kinds.includes(undefined)) throw new TypeError(`${NOT_OURS} An item of this list is neither.`);
  if (other !== undefined) throw new TypeError(`${NOT_OURS} This list contains ${kind} and ${other}.`);
  // `kindOf` has checked every item.
  if (kind === 'runs') return { ...NOTHING, kind, runs: items as readonly ScriptedRun[] };
  if (kind === 'rehearsals') return { ...NOTHING, kind, rehearsals: items as readonly ReceivedRehearsal[] };
  if (kind === 'requests') return { ...NOTHING, kind, requests: items.flatMap(requestsIn) };
  return { ...NOTHING, kind, messages: items.flatMap(messagesIn) };
}

function kindOf(item: unknown): ReceivedKind | undefined {
  if (!isObject(item)) return undefined;
  if (typeof item.scenario === 'string' && ('differences' in item || 'failure' in item)) return 'rehearsals';
  if ('argv' in item && 'prompts' in item) return 'runs';
  if (isApi(item) || 'lastUserText' in item) return 'requests';
  return typeof item.type === 'string' || typeof item.kind === 'string' ? 'messages' : undefined;
}

function isApi(item: object): item is FakeApi {
  return 'conversation' in item && 'requests' in item;
}

function requestsIn(item: unknown): readonly ApiRequest[] {
  const found = item as FakeApi | ApiRequest;
  return isApi(found) ? found.conversation : [found];
}

/** The message of a stream item, or the message itself. */
function messagesIn(item: unknown): Message[] {
  if (!isObject(item)) return [];
  const message = item.kind === undefined ? item : item.kind === 'message' ? item.message : undefined;
  return isMessage(message) ? [message] : [];
}

/** Only `type` is certain in a message; the functions that read it allow for that. */
function isMessage(value: unknown): value is Message {
  return isObject(value) && typeof value.type === 'string';
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
