import type { ExitReport } from '../process/transport.ts';
import type { ItemFeed } from '../stream/feed.ts';
import { FeedStream, type MessageStream, type StreamOwner } from '../stream/message-stream.ts';
import { keepingProcessAlive } from '../timing/timers.ts';
import type { Warning } from '../warnings/warning.ts';
import type { QueryState } from './stream-machine.ts';

/** The stream of a one-shot query. */
export interface QueryStream<T = unknown> extends MessageStream<T>, AsyncDisposable {
  /** Settles when the CLI runs, or cannot. @throws the start error */
  readonly started: Promise<void>;
  /** Settles when the process is gone; never rejects. Like `result()`, it reads the messages away if nobody else does. */
  readonly closed: Promise<ExitReport>;
  readonly state: QueryState;
  /** The conversation's id, as soon as the CLI has said it. */
  readonly sessionId: string | undefined;
  /** Every warning so far. */
  readonly warnings: readonly Warning[];
  /** Ends the run now, if it is not over; resolves when the process is really gone. May be called any number of times. */
  close(): Promise<ExitReport>;
}

/** A query under way: one-shot, or as a session of one turn. */
export interface Run<T> extends ItemFeed, StreamOwner<T> {
  readonly started: Promise<void>;
  readonly closed: Promise<ExitReport>;
  readonly state: QueryState;
  readonly sessionId: string | undefined;
  readonly warnings: readonly Warning[];
  close(): Promise<ExitReport>;
  /** Ends the run when `reader` is garbage: nobody can read it any more. Whoever awaits one of its promises holds it. */
  endWith(reader: object): void;
}

/** Reads a run. The run does not know its stream, so that a stream nobody holds can be noticed. */
export class RunStream<T> extends FeedStream<T> implements QueryStream<T> {
  readonly #run: Run<T>;
  #closed: Promise<ExitReport> | undefined;

  constructor(run: Run<T>) {
    super(run, run);
    this.#run = run;
    run.endWith(this);
  }

  get started(): Promise<void> {
    return this.#run.started;
  }

  get closed(): Promise<ExitReport> {
    this.drain();
    this.#closed ??= keepingProcessAlive(this.#run.closed);
    return this.#closed;
  }

  get state(): QueryState {
    return this.#run.state;
  }

  get sessionId(): string | undefined {
    return this.#run.sessionId;
  }

  get warnings(): readonly Warning[] {
    return this.#run.warnings;
  }

  close(): Promise<ExitReport> {
    return this.#run.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
