import { NO_COST, type TurnCost } from '../messages/turn-cost.ts';
import type { Collected, PermissionItem, StreamItem } from '../stream/items.ts';
import type { MessageStream } from '../stream/message-stream.ts';
import type { Message, ResultMessage } from '../wire/messages.ts';
import type { Late } from './late.ts';
import { LateIterator } from './late-iterator.ts';

/** The messages of a run that begins as soon as the engine is loaded. */
export class LateStream<T, S extends MessageStream<T>> implements MessageStream<T> {
  protected readonly late: Late<S>;
  #result: Promise<ResultMessage> | undefined;
  #text: Promise<string> | undefined;
  #output: Promise<T> | undefined;

  constructor(late: Late<S>) {
    this.late = late;
  }

  get results(): readonly ResultMessage[] {
    return this.late.now?.results ?? [];
  }

  [Symbol.asyncIterator](): AsyncIterator<Message> {
    const { now } = this.late;
    if (now) return now[Symbol.asyncIterator]();
    return new LateIterator(this.late.part((stream) => stream[Symbol.asyncIterator]()));
  }

  items(): AsyncIterable<StreamItem>;
  items(options: { readonly permissions: true }): AsyncIterable<StreamItem | PermissionItem>;
  items(options?: { readonly permissions: true }): AsyncIterable<StreamItem | PermissionItem> {
    const { late } = this;
    const open = (stream: S): AsyncIterator<StreamItem | PermissionItem> =>
      (options === undefined ? stream.items() : stream.items(options))[Symbol.asyncIterator]();
    return { [Symbol.asyncIterator]: () => (late.now ? open(late.now) : new LateIterator(late.part(open))) };
  }

  async collect(): Promise<Collected<Message>> {
    return this.late.ask((stream) => stream.collect()).catch(neverBegan);
  }

  async collectItems(): Promise<Collected<StreamItem>> {
    return this.late.ask((stream) => stream.collectItems()).catch(neverBegan);
  }

  fold<A>(init: A, fn: (acc: A, item: StreamItem) => A): Promise<A> {
    return this.late.ask((stream) => stream.fold(init, fn));
  }

  result(): Promise<ResultMessage> {
    this.#result ??= this.late.ask((stream) => stream.result());
    return this.#result;
  }

  text(): Promise<string> {
    this.#text ??= this.late.ask((stream) => stream.text());
    return this.#text;
  }

  output(): Promise<T> {
    this.#output ??= this.late.ask((stream) => stream.output());
    return this.#output;
  }

  async cost(): Promise<TurnCost> {
    return this.late.ask((stream) => stream.cost()).catch(() => NO_COST);
  }
}

/** The engine could not be loaded: an installation with files missing. */
function neverBegan(error: Error): Collected<never> {
  return { items: [], warnings: [], errors: [], terminalError: error };
}
