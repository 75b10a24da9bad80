import { steadyNow } from '../clock.ts';
import { type RequestOptions, remaining, unlessGivenUp } from '../control/pending.ts';
import type { ConversationProcess } from '../conversation/conversation-process.ts';
import type { SettingsKeeper, TurnSettings } from '../conversation/turn-settings.ts';
import { errorOf } from '../errors/base.ts';
import { plainError } from '../errors/redacted.ts';
import { InitQueueOverflowError } from '../errors/session.ts';
import { TransportError } from '../errors/stream.ts';
import type { Limits } from '../limits.ts';
import { KeptOperations } from '../session/kept-operations.ts';
import type { Operation, Repetition } from '../session/session-core.ts';
import { Waiters } from '../stream/queue.ts';
import { Deferred } from '../timing/timers.ts';
import { type Warning, warning } from '../warnings/warning.ts';

/** The parts of a restarting session that its operations use. */
export interface OperationsHost {
  readonly limits: Pick<Limits, 'maxQueuedOperations'>;
  readonly stopping: boolean;
  /** The CLI that operations can be sent to now. */
  usable(): ConversationProcess | undefined;
  stoppedError(what: string): Error;
  advance(): void;
}

/** The operations of a restarting session: they wait for a CLI, and some are repeated on each later CLI. */
export class RepeatedOperations {
  readonly #host: OperationsHost;
  /** How many wait for a CLI: they are sent before the next prompt. */
  queued = 0;
  /** The settings that the next CLI starts with. */
  settings: TurnSettings = {};
  /** The operations to repeat on each later CLI. */
  readonly #kept = new KeptOperations();
  /** How many the current CLI has not answered. */
  #unanswered = 0;
  readonly #answers = new Waiters();
  /** The next CLI that is ready. */
  #next = new Deferred<ConversationProcess>();

  constructor(host: OperationsHost) {
    this.#host = host;
  }

  /** Runs an operation as soon as a CLI is ready. @throws what ended the session */
  async ask<R>(operation: Operation<R>, options: RequestOptions = {}, repeat?: Repetition): Promise<R> {
    const answer = await this.#run(operation, options);
    if (repeat !== undefined) this.#keep(repeat, operation);
    return answer;
  }

  /** Resolves when no CLI has an operation to answer; each has a time limit. */
  async settled(): Promise<void> {
    while (this.#unanswered > 0) await this.#answers.wait();
  }

  ready(conversation: ConversationProcess): void {
    this.#next.resolve(conversation);
    this.#next = new Deferred();
  }

  /** No further CLI will be ready. */
  fail(error: Error): void {
    this.#next.promise.catch(() => {});
    this.#next.reject(error);
  }

  /**
   * A CLI has exited. Its mode may have been changed by an answer to a permission request, or by the model leaving plan mode.
   * The next CLI would continue with the model of the last turn.
   */
  ended({ own: { permissionMode }, modelToKeep }: Pick<SettingsKeeper, 'own' | 'modelToKeep'>): void {
    if (permissionMode !== undefined) this.settings = { ...this.settings, permissionMode };
    if (modelToKeep !== undefined) this.settings = { model: modelToKeep, ...this.settings };
  }

  /** Repeats on a new CLI what it cannot be started with. One that lacks what the session requires fails. Never rejects. */
  async repeat(conversation: ConversationProcess, warn: (warning: Warning) => void): Promise<void> {
    for (const {
      operation,
      repeat: { name, check, guards },
    } of this.#kept) {
      try {
        await operation.run(conversation, {});
      } catch (error) {
        const shown = errorOf(error);
        if (guards) return conversation.fail(shown);
        const message = `The CLI was restarted, but did not accept ${name}: ${shown.message}`;
        warn(warning('setting-not-restored', message, { what: name, error: plainError(shown) }));
        continue;
      }
      try {
        await check?.(conversation);
      } catch (error) {
        return conversation.fail(errorOf(error));
      }
    }
  }

  #keep(repeat: Repetition, operation: Operation<unknown>): void {
    if ('settings' in repeat) this.settings = { ...this.settings, ...repeat.settings };
    else this.#kept.keep(operation, repeat);
  }

  async #run<R>(operation: Operation<R>, options: RequestOptions): Promise<R> {
    const host = this.#host;
    const since = steadyNow();
    const current = host.usable();
    if (current) {
      try {
        return await this.#ask(current, operation, options);
      } catch (error) {
        // A failed write reports a death before the exit does: the CLI was not asked.
        if (!(error instanceof TransportError) || !(await current.connection.exitsNow())) throw error;
      }
    }
    if (host.stopping) throw host.stoppedError('The request was not sent');
    const { maxQueuedOperations } = host.limits;
    if (this.queued >= maxQueuedOperations) throw new InitQueueOverflowError(maxQueuedOperations);
    this.queued++;
    try {
      const conversation = await unlessGivenUp(this.#next.promise, operation.kind, options);
      // Not awaited: the operation is sent before the prompts that wait, but they do not wait for its answer.
      return this.#ask(conversation, operation, remaining(options, since));
    } finally {
      this.queued--;
      host.advance();
    }
  }

  async #ask<R>(conversation: ConversationProcess, operation: Operation<R>, options: RequestOptions): Promise<R> {
    this.#unanswered++;
    try {
      return await operation.run(conversation, options);
    } finally {
      this.#unanswered--;
      this.#answers.wake();
    }
  }
}
