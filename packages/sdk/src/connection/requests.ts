import { type OwnRequestOptions, PendingRequests, type RequestTerms, type WaitingRequest } from '../control/pending.ts';
import { type CliRequest, type ControlAnswer, route } from '../control/router.ts';
import { ControlRequestError, ControlTimeoutError } from '../errors/session.ts';
import { InitializationError, InitializationTimeoutError } from '../errors/start.ts';
import { TransportError } from '../errors/stream.ts';
import type { Limits } from '../limits.ts';
import type { StartOutput } from '../process/start-output.ts';
import type { Redactor } from '../redact.ts';
import type { EventBody } from '../report/events.ts';
import { within } from '../timing/timers.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { controlCancel, controlError, controlRequest } from '../wire/encode.ts';
import type { Message } from '../wire/messages.ts';
import type { Ending } from './ending.ts';

/** Answers the requests of the CLI. */
export interface RequestHandler {
  /** The number of unanswered requests. */
  readonly open: number;
  /** `bytes` is the length of the line. */
  handle(request: CliRequest, arrivedAt: number, bytes: number): void;
  cancel(id: string): void;
  /** Answers every pending and future request immediately; resolves when the answers are written. */
  stop(): Promise<void>;
}

/** The wire under control requests. */
export interface RequestWire {
  /** Writes one frame. @throws SessionStoppedError, TransportError */
  write(frame: object): Promise<void>;
  /** Writes one frame without waiting; a failed write drops it. */
  post(frame: object): void;
  /** Reads on: a paused pipe would hold back an answer. */
  resume(): void;
}

/** The context of control requests. */
export interface RequestSurroundings {
  readonly limits: Limits;
  readonly redact: Redactor;
  readonly ending: Ending;
  readonly inbound: RequestHandler;
  readonly observer: RequestObserver;
}

/** Follows the requests of one CLI process. */
export interface RequestObserver {
  /** The last output of the CLI, without secrets. */
  readonly lastWords: StartOutput;
  /** Called before a request is sent. @throws when the CLI would not answer it */
  checkRequest?(subtype: string): void;
  readonly report?: {
    event(event: EventBody): void;
    log(level: 'debug' | 'warn', message: string, fields: object): void;
  };
  warn(warning: Warning): void;
}

/** The control requests of one CLI process: ours are matched with their answers, those of the CLI go to `inbound`. */
export class ControlRequests {
  readonly #wire: RequestWire;
  readonly #around: RequestSurroundings;
  readonly #pending: PendingRequests;
  #handshakeId: string | undefined;

  constructor(wire: RequestWire, around: RequestSurroundings) {
    this.#wire = wire;
    this.#around = around;
    const { limits, redact, observer } = around;
    this.#pending = new PendingRequests(limits.maxPendingRequests, {
      redact,
      aborted: (id) => wire.post(controlCancel(id)),
      timedOut: (id, kind, ms) => {
        observer.report?.event({ type: 'request-answered', id, ok: false });
        observer.report?.log('warn', `coxswain: the CLI did not answer ${kind} within ${ms} ms`, { id, kind });
      },
    });
    around.ending.signal.addEventListener('abort', () => this.failAll(), { once: true });
  }

  get waiting(): readonly WaitingRequest[] {
    return this.#pending.list();
  }

  /** Sends a control request now. @throws what the CLI answers, ControlTimeoutError, AbortError, SessionStoppedError, TransportError */
  async send(subtype: string, payload: object, options: OwnRequestOptions): Promise<unknown> {
    const { controlTimeoutMs, controlTotalMs } = this.#around.limits;
    const { timeoutMs = controlTimeoutMs } = options;
    const totalMs = Math.max(timeoutMs, controlTotalMs);
    return this.#send({ ...options, kind: subtype, timeoutMs, totalMs }, payload);
  }

  #send(terms: RequestTerms, payload: object, onId = (_id: string): void => {}): Promise<unknown> {
    const { kind: subtype } = terms;
    const { observer } = this.#around;
    observer.checkRequest?.(subtype);
    const answered = this.#pending.open(terms, (id) => {
      onId(id);
      observer.report?.event({ type: 'request-sent', id, kind: subtype });
      return this.#wire.write(controlRequest(id, subtype, payload));
    });
    this.#wire.resume();
    return answered;
  }

  /** Sends a request whose answer does not matter. */
  post(subtype: string, payload: object): void {
    this.#wire.post(controlRequest(crypto.randomUUID(), subtype, payload));
  }

  /**
   * Sends the handshake. Every frame of the CLI restarts its timeout, but not the total time. `exited` settles when the
   * process has exited.
   * @throws InitializationTimeoutError, InitializationError, and what `send` throws
   */
  async handshake(payload: object, exited: Promise<unknown>): Promise<unknown> {
    const { limits, observer } = this.#around;
    const { startTimeoutMs: timeoutMs, startTotalMs: totalMs, exitReadMs } = limits;
    try {
      return await this.#send({ kind: 'initialize', timeoutMs, totalMs }, payload, (id) => {
        this.#handshakeId = id;
      });
    } catch (error) {
      // The exit of a CLI that cannot be written to explains more than the failed write, and so does its stderr.
      if (error instanceof TransportError) await within(2 * exitReadMs, exited);
      const words = { ...observer.lastWords, cause: error };
      if (error instanceof ControlTimeoutError) {
        const limit = error.ms === timeoutMs ? 'startTimeoutMs' : 'startTotalMs';
        throw new InitializationTimeoutError(error.ms, words, limit);
      }
      if (error instanceof ControlRequestError) throw new InitializationError(error.said, words);
      throw error;
    } finally {
      this.#handshakeId = undefined;
    }
  }

  /** Takes a frame of the control protocol; false for a message. */
  take(frame: Message, rawJson: string, arrivedAt: number): boolean {
    const { inbound, observer } = this.#around;
    // A CLI that sends anything is still starting.
    if (this.#handshakeId !== undefined) this.#pending.progress(this.#handshakeId);
    const routed = route(frame);
    switch (routed.kind) {
      case 'message':
        if (frame.type === 'system' && frame.subtype === 'control_request_progress') this.#progressed(frame.request_id);
        return false;
      case 'request':
        inbound.handle(routed.request, arrivedAt, rawJson.length);
        break;
      case 'response':
        if (routed.id !== undefined) this.#answered(routed.id, routed.answer);
        else observer.warn(malformed('The CLI sent an answer without a request id.', { rawJson }));
        break;
      case 'cancel':
        if (routed.id !== undefined) inbound.cancel(routed.id);
        break;
      case 'bad-request': {
        const { id, missing } = routed;
        if (id !== undefined) this.#wire.post(controlError(id, `The request has no ${missing}.`, 'invalid_request'));
        observer.warn(malformed(`The CLI sent a control request without ${missing}.`, { id, missing }));
      }
    }
    return true;
  }

  /** Fails every request that waits for an answer. */
  failAll(): void {
    const { ending } = this.#around;
    this.#pending.failAll(() => ending.stopped('The request was not answered'));
  }

  /** The CLI reports that it still works on a request. */
  #progressed(id: unknown): void {
    if (typeof id === 'string') this.#pending.progress(id);
  }

  #answered(id: string, answer: ControlAnswer): void {
    const { observer, redact } = this.#around;
    const shown = answer.ok ? answer : { ...answer, error: redact(answer.error) };
    if (this.#pending.settle(id, shown)) observer.report?.event({ type: 'request-answered', id, ok: answer.ok });
    else observer.report?.log('debug', 'coxswain: received an answer to an unknown request', { id });
  }
}

function malformed(message: string, context: Warning['context']): Warning {
  return warning('malformed-control-frame', message, context);
}
