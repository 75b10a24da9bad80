import type { PermissionDecision } from '../callbacks/decisions.ts';
import type { PendingPermission } from '../callbacks/permission-request.ts';
import { NoSuchPermissionError } from '../errors/session.ts';
import type { ExitReport } from '../process/transport.ts';
import type { ObservedRun } from '../report/run-observer.ts';
import type { Feed } from '../stream/feed.ts';
import { FeedStream, type MessageStream } from '../stream/message-stream.ts';
import { keepingProcessAlive } from '../timing/timers.ts';
import type { Warning } from '../warnings/warning.ts';
import type { QueryRun } from './run.ts';
import type { QueryState } from './stream-machine.ts';

/** The stream of a query. */
export interface QueryStream<T = unknown> extends MessageStream<T>, AsyncDisposable {
  /** Resolves when the CLI runs. @throws the start error */
  readonly started: Promise<void>;
  /**
   * Resolves when the process has exited; never rejects. Like `result()`, it discards the messages unless the caller
   * reads them.
   */
  readonly closed: Promise<ExitReport>;
  readonly state: QueryState;
  /** The conversation's id, as soon as the CLI has reported it. */
  readonly sessionId: string | undefined;
  /** Every warning so far. */
  readonly warnings: readonly Warning[];
  /** The permission requests that wait for an answer, as plain JSON. */
  pendingPermissions(): readonly PendingPermission[];
  /** Answers a permission request instead of `canUseTool`, which may have returned `decideLater()`. @throws NoSuchPermissionError, OptionsError */
  answerPermission(id: string, answer: PermissionDecision): Promise<void>;
  /** Ends the run if it has not ended; resolves when the process has exited. Can be called any number of times. */
  close(): Promise<ExitReport>;
}

const queries = new WeakMap<ObservedRun, WeakRef<QueryStream>>();

/**
 * The stream of an observed query, as soon as `query` has returned; `undefined` for a session, and for a query that the
 * program has dropped.
 */
export function queryOf(run: ObservedRun): QueryStream | undefined {
  return queries.get(run)?.deref();
}

/** Reads a run. The run has no reference to its stream, so that an abandoned stream can be garbage-collected. */
export class RunStream<T> extends FeedStream<T, Feed> implements QueryStream<T> {
  readonly #run: QueryRun<T>;
  #closed: Promise<ExitReport> | undefined;

  constructor(run: QueryRun<T>) {
    super(run.feed, run);
    this.#run = run;
    run.endWith(this);
    queries.set(run.report.run, new WeakRef(this));
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
    return this.#run.source.sessionId;
  }

  get warnings(): readonly Warning[] {
    return this.#run.report.warnings;
  }

  pendingPermissions(): readonly PendingPermission[] {
    return this.#run.source.permissions?.requests() ?? [];
  }

  async answerPermission(id: string, answer: PermissionDecision): Promise<void> {
    const { permissions } = this.#run.source;
    if (permissions === undefined) throw new NoSuchPermissionError(id);
    permissions.answer(id, answer);
  }

  close(): Promise<ExitReport> {
    return this.#run.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
