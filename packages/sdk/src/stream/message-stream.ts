import { errorOf } from '../errors/base.ts';
import { plainError, redactedError } from '../errors/redacted.ts';
import { NoResultError, ResultError, StreamConsumedError, StructuredOutputError } from '../errors/stream.ts';
import { textOf } from '../messages/content.ts';
import { outcomeOf } from '../messages/outcome.ts';
import type { TurnCost } from '../messages/turn-cost.ts';
import type { OutputSchema } from '../options/option-types.ts';
import { validateOutput } from '../options/output-schema.ts';
import type { Redactor } from '../redact.ts';
import { copyOfJson } from '../redacted-data.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import type { Message, ResultMessage } from '../wire/messages.ts';
import type { ItemFeed } from './feed.ts';
import { type Collected, type ErrorItem, isPermissionItem, type PermissionItem, type StreamItem } from './items.ts';

/** The common part of queries, turns and pool jobs. It can be iterated once; its promises are memoised. */
export interface MessageStream<T = unknown> extends AsyncIterable<Message> {
  /** Iterates messages, warnings and errors that do not end the stream, in order. @throws StreamConsumedError */
  items(): AsyncIterable<StreamItem>;
  /** Also includes permission requests and their answers. @throws StreamConsumedError */
  items(options: { readonly permissions: true }): AsyncIterable<StreamItem | PermissionItem>;
  /** Reads to the end. Never throws: a failure is in `terminalError`. */
  collect(): Promise<Collected>;
  /** The last result, whatever its outcome. @throws NoResultError or the terminal error */
  result(): Promise<ResultMessage>;
  /** All results so far. Background work can produce more than one. */
  readonly results: readonly ResultMessage[];
  /** The answer's text. @throws ResultError unless the outcome is `completed` */
  text(): Promise<string>;
  /** The validated structured output. @throws StructuredOutputError, ResultError */
  output(): Promise<T>;
  /** The cost, including that of a failed or cut-off run. Resolves when the CLI has finished with it; never rejects. */
  cost(): Promise<TurnCost>;
}

/** The owner of a stream: settings and the receiver of warnings. */
export interface StreamOwner<T> {
  readonly outputSchema: OutputSchema<T> | undefined;
  /** Removes secrets from the CLI's output. */
  readonly redact: Redactor;
  /** Records a warning and calls the caller's `onWarning`. */
  warn(warning: Warning): void;
}

/** The message stream of queries, turns and pool jobs: reads a feed. */
export class FeedStream<T, F extends ItemFeed = ItemFeed> implements MessageStream<T> {
  readonly feed: F;
  /** Replaced later for a stream that is created before its owner. */
  owner: StreamOwner<T>;
  #claimed = false;
  #result: Promise<ResultMessage> | undefined;
  #text: Promise<string> | undefined;
  #output: Promise<T> | undefined;

  constructor(feed: F, owner: StreamOwner<T>) {
    this.feed = feed;
    this.owner = owner;
  }

  get results(): readonly ResultMessage[] {
    return this.feed.results;
  }

  [Symbol.asyncIterator](): AsyncIterator<Message> {
    return this.#claim((item) => {
      if (item.kind === 'message') return item.message;
      if (item.kind === 'error') this.owner.warn(asWarning(item, this.owner.redact));
      return undefined;
    });
  }

  items(): AsyncIterable<StreamItem>;
  items(options: { readonly permissions: true }): AsyncIterable<StreamItem | PermissionItem>;
  items(options?: { readonly permissions: true }): AsyncIterable<StreamItem | PermissionItem> {
    if (options?.permissions) return { [Symbol.asyncIterator]: () => this.#claim(numbered(), true) };
    return { [Symbol.asyncIterator]: () => this.#claim(plainItem) };
  }

  async collect(): Promise<Collected> {
    const items: StreamItem[] = [];
    try {
      for await (const item of this.items()) items.push(item);
      return collected(items);
    } catch (error) {
      return { ...collected(items), terminalError: errorOf(error) };
    }
  }

  result(): Promise<ResultMessage> {
    this.#result ??= handled(this.#lastResult());
    return this.#result;
  }

  text(): Promise<string> {
    this.#text ??= handled(this.result().then((result) => textOf(completed(result, this.owner.redact))));
    return this.#text;
  }

  output(): Promise<T> {
    this.#output ??= handled(this.result().then((result) => readOutput(result, this.owner)));
    return this.#output;
  }

  cost(): Promise<TurnCost> {
    this.drain();
    return this.feed.cost;
  }

  /** Reads the feed to its end unless the caller does. A loop that the caller starts in the same tick takes precedence. */
  protected drain(): void {
    if (!this.feed.drained) return;
    setImmediate(async () => {
      try {
        if (!this.#claimed) for await (const _ of this);
      } catch {
        // The feed's `ended` also reports the failure.
      }
    });
  }

  async #lastResult(): Promise<ResultMessage> {
    this.drain();
    const failure = await this.feed.ended;
    if (failure) throw failure;
    const result = this.feed.results.at(-1);
    if (!result) throw new NoResultError('the CLI exited, or the stream was closed, before one arrived');
    return result;
  }

  /** The iterator keeps `this` reachable: a stream that is being read does not count as abandoned. */
  #claim<I>(pick: Picker<I>, permissions = false): AsyncIterator<I> {
    if (this.#claimed) return consumed();
    this.#claimed = true;
    if (!permissions) this.feed.refusePermissions();
    return new FeedIterator(this, this.feed, pick);
  }
}

function collected(items: readonly StreamItem[]): Collected {
  return {
    items,
    messages: items.flatMap((item) => (item.kind === 'message' ? item.message : [])),
    warnings: items.flatMap((item) => (item.kind === 'warning' ? item.warning : [])),
    errors: items.flatMap((item) => (item.kind === 'error' ? item.error : [])),
  };
}

/** Maps an item to the reader's value; `undefined` skips the item. */
type Picker<I> = (item: StreamItem | PermissionItem) => I | undefined;

function plainItem(item: StreamItem | PermissionItem): StreamItem | undefined {
  return isPermissionItem(item) ? undefined : item;
}

/** Numbers permissions among the other items. Readers get numbers without gaps with and without permissions. */
function numbered(): Picker<StreamItem | PermissionItem> {
  let next = 0;
  return (item) => {
    const seq = next++;
    if (item.kind === 'permission-requested') return { ...item, seq, request: copyOfJson(item.request) };
    return item.seq === seq ? item : { ...item, seq };
  };
}

class FeedIterator<I> implements AsyncIterator<I> {
  readonly stream: object;
  readonly #feed: ItemFeed;
  readonly #pick: Picker<I>;
  /** Settles with the last pull that waited. */
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #left = false;

  constructor(stream: object, feed: ItemFeed, pick: Picker<I>) {
    this.stream = stream;
    this.#feed = feed;
    this.#pick = pick;
  }

  /** Serves concurrent pulls in the order of the calls. */
  next(): Promise<IteratorResult<I>> {
    const ready = this.#waiting === 0 ? this.#take() : undefined;
    if (ready !== undefined) return Promise.resolve({ value: ready, done: false });
    this.#waiting += 1;
    const pull = this.#last
      .then(() => this.#pull())
      .finally(() => {
        this.#waiting -= 1;
      });
    this.#last = pull.catch(() => {});
    return pull;
  }

  async return(): Promise<IteratorResult<I>> {
    this.#left = true;
    await this.#feed.leave();
    return { value: undefined, done: true };
  }

  /** The next item for this reader, if one is available. */
  #take(): I | undefined {
    while (!this.#left) {
      const item = this.#feed.take();
      if (item === undefined) return undefined;
      const value = this.#pick(item);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  async #pull(): Promise<IteratorResult<I>> {
    do {
      const value = this.#take();
      if (value !== undefined) return { value, done: false };
    } while (!this.#left && (await this.#feed.more()));
    return { value: undefined, done: true };
  }
}

/** The iterator of a stream that was already iterated. */
async function* consumed(): AsyncGenerator<never> {
  yield await Promise.reject(new StreamConsumedError());
}

function asWarning(item: ErrorItem, redact: Redactor): Warning {
  const error = redactedError(item.error, redact);
  return warning('undecodable-line', error.message, { error: plainError(error) });
}

/** Prevents an unhandled rejection, which would end the host, if the caller does not listen. */
export function handled<P>(promise: Promise<P>): Promise<P> {
  promise.catch(() => {});
  return promise;
}

/** Calls an operation and prevents an unhandled rejection while the caller does not listen yet. */
export function handledCall<R>(operation: () => Promise<R>): Promise<R> {
  return handled(operation());
}

/** The structured output of a result, checked against the caller's schema. @throws StructuredOutputError, ResultError */
async function readOutput<T>(
  result: ResultMessage,
  { outputSchema: schema, redact }: Pick<StreamOwner<T>, 'outputSchema' | 'redact'>,
): Promise<T> {
  if (outcomeOf(result).kind === 'structured-output') throw new StructuredOutputError('retries', result);
  completed(result, redact);
  const value = 'structured_output' in result ? result.structured_output : undefined;
  if (schema === undefined) throw new StructuredOutputError('absent', result, [], false);
  if (value === undefined) throw new StructuredOutputError('absent', result);
  const checked = await validateOutput(schema, value);
  if ('issues' in checked) throw new StructuredOutputError('invalid', result, checked.issues);
  return checked.value;
}

/** @throws ResultError unless the run completed */
function completed(result: ResultMessage, redact: Redactor): ResultMessage {
  const outcome = outcomeOf(result);
  if (outcome.kind === 'completed') return result;
  const resetsAt = outcome.kind === 'rate-limit' ? outcome.resetsAt : undefined;
  throw new ResultError(outcome.kind, result, { resetsAt, redact });
}
