import type { Message } from 'coxswain';
import type { RawEnd, RawFrame, RawSession } from 'coxswain/raw';
import type { SDKMessage } from '../declarations/messages.ts';
import { endError } from '../end-error.ts';
import { AbortError, type AbortText, abortError, closedError } from '../errors.ts';
import type { Command } from '../start/command.ts';
import { warnOfLostAnswer } from '../start/tuning.ts';
import type { Input } from './input.ts';
import type { StoredQuery } from './stored.ts';

type Step = IteratorResult<SDKMessage, void>;

const STOPPED = 'Claude Code process aborted by user';

/** The source of a query's messages. */
export interface MessageSource {
  readonly session: RawSession;
  readonly input: Input;
  readonly stored: StoredQuery | undefined;
  readonly command: Command;
  readonly limits: {
    /** Time for a finished CLI to exit. */
    readonly drainMs: number;
    /** Time for the run to end by itself after the prompt iterable has thrown. */
    readonly graceMs: number;
  };
}

/** The messages of a query in order, and its end: silent, or with the error of the official SDK. */
export class QueryMessages {
  /** Settles when the process has exited and everything is stored. */
  readonly ended: Promise<RawEnd>;
  /** True after the end of the loop, its error or `close()`. */
  finished = false;
  #exited = false;
  readonly #source: MessageSource;
  #errorResult: object | undefined;
  /** Why the caller or the query ended the run: the loop throws it. */
  #abort: Error | undefined;
  /** Number of frames that have arrived and were not read. */
  #unread = 0;
  /** After an abort: the frames that had arrived before it. */
  #rest: Promise<RawFrame | undefined>[] | undefined;
  #warnedOfLostAnswer = false;
  /** The result, while the message before it reports that it could not be stored. */
  #held: SDKMessage | undefined;
  /** Number of reads that wait for a frame. */
  #reading = 0;
  #leaving: NodeJS.Timeout | undefined;
  #aborting: NodeJS.Timeout | undefined;
  #stopListening: () => void = () => {};

  constructor(source: MessageSource, signal: AbortSignal | undefined) {
    const { session, stored } = source;
    this.#source = source;
    this.ended = session.ended.then(async (end) => {
      this.#exited = true;
      this.#over();
      await stored?.end();
      if (this.finished) stored?.warnOfReport();
      return end;
    });
    this.#listen(signal);
  }

  async next(): Promise<Step> {
    for (;;) {
      if (this.finished) return { done: true, value: undefined };
      const held = this.#held;
      this.#held = undefined;
      if (held) return { done: false, value: held };
      const frame = await this.#nextFrame();
      if (frame === undefined || this.finished) return (await this.#lastReport()) ?? this.#end();
      // The type of the official SDK lists the known messages; the CLI may send others.
      if (isShown(frame.message)) return { done: false, value: await this.#whenStored(frame.message as SDKMessage) };
    }
  }

  /** Handles the arrival of a frame, before it is read. */
  arrived(frame: Message, rawJson: string): void {
    if (!this.#rest) this.#unread += 1;
    if (frame.type === 'result') this.#errorResult = 'is_error' in frame && frame.is_error === true ? frame : undefined;
    this.#source.stored?.frame(frame, rawJson.length);
    this.#source.input.frame(frame);
    this.#expectExit();
  }

  /** Ends the loop. */
  finish(): void {
    this.finished = true;
    this.#over();
  }

  /** Ends the run and the process; after the frames that have arrived, the loop throws an AbortError with this cause. */
  abort(cause: unknown): void {
    if (this.finished || this.#rest) return;
    this.#cutOff(this.#source.input.run.working ? STOPPED : 'Operation aborted', cause);
  }

  /** Like `abort()`, but the run may end by itself first: the program has not asked for its end. */
  inputThrew(cause: unknown): void {
    if (this.finished || this.#abort) return;
    const { limits } = this.#source;
    this.#abort = abortError('Operation aborted', cause);
    this.#aborting = setTimeout(() => this.#cutOff(STOPPED, cause), limits.graceMs);
  }

  /** True once the caller has aborted the run, or its prompt iterable has thrown. */
  get aborted(): boolean {
    return this.#abort instanceof AbortError;
  }

  /** The error of a request that is no longer sent. */
  get refusal(): Error | undefined {
    if (this.finished || this.#exited) return closedError();
    return this.#abort && abortError('Operation aborted', this.#abort.cause);
  }

  /** Ends the run and the process; the loop throws this error. */
  fail(error: Error): void {
    if (this.finished || this.#abort) return;
    this.#abort = error;
    this.#rest = [];
    void this.#source.session.close();
  }

  /** Waits for the exit of the process; returns the error to throw, if any. */
  async failure(): Promise<Error | undefined> {
    const { session, input, command } = this.#source;
    const end = await this.ended;
    if (this.#abort) return this.#abort;
    if (end.closed) return undefined;
    const { stderrTail } = session;
    const { path, isScript } = command;
    const error = endError({ end, stderrTail, errorResult: this.#errorResult, command: path, isScript });
    // The official SDK ends the loop silently in this case.
    if (!error && input.run.unanswered && !this.#warnedOfLostAnswer) {
      this.#warnedOfLostAnswer = true;
      warnOfLostAnswer();
    }
    return error;
  }

  #listen(signal: AbortSignal | undefined): void {
    if (!signal) return;
    const onAbort = (): void => this.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#stopListening = () => signal.removeEventListener('abort', onAbort);
  }

  #cutOff(text: AbortText, cause: unknown): void {
    const { session } = this.#source;
    clearTimeout(this.#aborting);
    this.#abort = abortError(text, cause);
    // Closing the session discards them.
    this.#rest = Array.from({ length: this.#unread }, () => session.next());
    void session.close();
  }

  #over(): void {
    clearTimeout(this.#leaving);
    clearTimeout(this.#aborting);
    this.#source.input.close();
    this.#stopListening();
  }

  /** Delays a result until the store has the turn. If that fails, a message reports it before the result. */
  async #whenStored(message: SDKMessage): Promise<SDKMessage> {
    const report = message.type === 'result' ? await this.#source.stored?.flush() : undefined;
    if (!report) return message;
    this.#held = message;
    return report;
  }

  /** The message after the last frame that reports a failure to store the rest of the conversation. */
  async #lastReport(): Promise<Step | undefined> {
    const { stored } = this.#source;
    if (!stored) return undefined;
    await this.ended;
    const report = this.finished ? undefined : stored.takeReport();
    return report && { done: false, value: report };
  }

  async #nextFrame(): Promise<RawFrame | undefined> {
    this.#reading += 1;
    this.#expectExit();
    try {
      if (this.#rest) return await this.#rest.shift();
      const frame = await this.#source.session.next();
      if (frame) this.#unread -= 1;
      return frame;
    } finally {
      this.#reading -= 1;
      this.#expectExit();
    }
  }

  /** Gives a CLI that is idle, without stdin and read to its last frame `drainMs` to exit; otherwise the loop would never end. */
  #expectExit(): void {
    const { session, input, limits } = this.#source;
    clearTimeout(this.#leaving);
    if (this.finished || this.#reading === 0 || !input.ended || !input.run.idle) return;
    this.#leaving = setTimeout(() => void session.close(), limits.drainMs);
  }

  /** Waits for the process after the last frame, and throws its error. */
  async #end(): Promise<Step> {
    if (this.finished) return { done: true, value: undefined };
    const error = this.#abort ?? (await this.failure());
    if (this.finished) return { done: true, value: undefined };
    this.finish();
    if (error) throw error;
    return { done: true, value: undefined };
  }
}

/** False for frames that are meant for the SDK itself; the official SDK does not pass them on either. */
function isShown(message: object & { readonly type: string }): boolean {
  return message.type !== 'transcript_mirror' && !('sdk_host_only' in message && message.sdk_host_only === true);
}
