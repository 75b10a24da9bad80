import { CALLBACK, either, type Kind, type KindsOf } from '@coxswain/shared/option-kinds';
import { checkOptions } from '../check-options.ts';
import type { Reply } from './reply.ts';
import { text } from './reply.ts';
import type { ApiRequest } from './request.ts';

/** Makes the reply to one request. */
export type ReplyFunction = (request: ApiRequest) => Reply | Promise<Reply>;

/** Replies used in order, or one function for all requests. */
export type Replies = readonly (Reply | ReplyFunction)[] | ReplyFunction;

/**
 * What the API answers. Plain replies serve the main conversation and its subagents; `subagent` gives those their own
 * list, `aside` replaces the stock answers to titles, compaction and the like (it may skip a request).
 */
export type ApiScript = Replies | ScriptParts;

/** Separate replies for the kinds of requests. */
export interface ScriptParts {
  readonly main?: Replies;
  readonly subagent?: Replies;
  readonly aside?: (request: ApiRequest) => Reply | undefined;
}

/** Chooses the reply to a request. */
export interface ReplySource {
  /** The next reply; undefined when the script has run out. */
  next(request: ApiRequest): Promise<Reply | undefined>;
}

/** Plays a script; a list advances with each request it answers. */
export function playScript(script: ApiScript, fallback?: Reply): ReplySource {
  const parts: ScriptParts = typeof script === 'function' || isList(script) ? { main: script } : script;
  checkOptions('The script of the fake API', parts, KINDS);
  const main = playReplies(parts.main ?? []);
  const subagent = parts.subagent === undefined ? main : playReplies(parts.subagent);
  return {
    async next(request) {
      if (request.kind === 'main') return (await main(request)) ?? fallback;
      if (request.kind === 'subagent') return (await subagent(request)) ?? fallback;
      return parts.aside?.(request) ?? stockAnswer(request);
    },
  };
}

const LIST: Kind = { is: Array.isArray, what: 'a list of replies' };
const REPLIES = either(CALLBACK, LIST);
const KINDS: KindsOf<Required<ScriptParts>> = { main: REPLIES, subagent: REPLIES, aside: CALLBACK };

type Player = (request: ApiRequest) => Promise<Reply | undefined>;

function playReplies(replies: Replies): Player {
  if (typeof replies === 'function') return async (request) => replies(request);
  const waiting = replies.map((entry) => ({ entry, left: uses(entry) }));
  return async (request) => {
    const current = waiting.find(({ left }) => left > 0);
    if (current === undefined) return undefined;
    current.left -= 1;
    return typeof current.entry === 'function' ? current.entry(request) : current.entry;
  };
}

function uses(entry: Reply | ReplyFunction): number {
  const first = typeof entry === 'function' ? undefined : isList(entry) ? entry[0] : entry;
  return first?.type === 'api_error' ? first.times : 1;
}

function stockAnswer(request: ApiRequest): Reply {
  return text(request.kind === 'title' ? '{"title":"Fake session"}' : 'OK');
}

// Array.isArray does not narrow a readonly array away from a union.
function isList<T, U>(value: readonly T[] | U): value is readonly T[] {
  return Array.isArray(value);
}
