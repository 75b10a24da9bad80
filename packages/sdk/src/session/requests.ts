import { steadyNow } from '../clock.ts';
import {
  PendingRequests,
  type RequestOptions,
  type RequestTerms,
  remaining,
  unlessGivenUp,
  type WaitingRequest,
} from '../control/pending.ts';
import { type ControlAnswer, route } from '../control/router.ts';
import { ControlRequestError, ControlTimeoutError, InitQueueOverflowError } from '../errors/session.ts';
import { InitializationError, InitializationTimeoutError } from '../errors/start.ts';
import { TransportError } from '../errors/stream.ts';
import type { StartOutput } from '../process/start-output.ts';
import type { Redactor } from '../redact.ts';
import type { Report } from '../report/report.ts';
import { within } from '../timing/timers.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { controlCancel, controlError, controlRequest } from '../wire/encode.ts';
import type { Message } from '../wire/messages.ts';
import { isStarting } from './lifecycle.ts';
import type { Link, LinkOwner } from './link.ts';
import type { LiveSession } from './live.ts';

/** What control requests need from the session, or raw session, that they belong to. */
export interface RequestHost extends LinkOwner {
  readonly redact: Redactor;
  readonly link: Link | undefined;
  readonly report?: Pick<Report, 'event' | 'log'>;
  /** What the CLI said last, without secrets. */
  readonly lastWords: StartOutput;
  /** @throws when a request can no longer be sent, or the CLI would not answer it */
  checkRequest(subtype: string): void;
  write(frame: object): Promise<void>;
  warn(warning: Warning): void;
}

/** The control requests of one CLI process: ours are matched with their answers, those of the CLI go to `inbound`. */
export class ControlRequests<Host extends RequestHost = RequestHost> {
  protected readonly host: Host;
  readonly #pending: PendingRequests;
  #handshakeId: string | undefined;

  constructor(host: Host) {
    this.host = host;
    this.#pending = new PendingRequests(host.limits.maxPendingRequests, {
      redact: host.redact,
      aborted: (id) => host.link?.post(controlCancel(id)),
      timedOut: (id, kind, ms) => {
        host.report?.event({ type: 'request-answered', id, ok: false });
        host.report?.log('warn', `coxswain: the CLI did not answer ${kind} within ${ms} ms`, { id, kind });
      },
    });
  }

  get waiting(): readonly WaitingRequest[] {
    return this.#pending.list();
  }

  /** Sends a control request now. */
  async send(subtype: string, payload: object, options: RequestOptions): Promise<unknown> {
    const { controlTimeoutMs, controlTotalMs } = this.host.limits;
    const { timeoutMs = controlTimeoutMs, signal } = options;
    return this.#send({ kind: subtype, timeoutMs, totalMs: Math.max(timeoutMs, controlTotalMs), signal }, payload);
  }

  #send(terms: RequestTerms, payload: object, onId = (_id: string): void => {}): Promise<unknown> {
    const { host } = this;
    const { kind: subtype } = terms;
    host.checkRequest(subtype);
    const answered = this.#pending.open(terms, (id) => {
      onId(id);
      host.report?.event({ type: 'request-sent', id, kind: subtype });
      return host.write(controlRequest(id, subtype, payload));
    });
    // A paused pipe would hold back the answer.
    host.link?.resume();
    return answered;
  }

  /** Sends a request whose answer does not matter. */
  post(subtype: string, payload: object): void {
    this.host.link?.post(controlRequest(crypto.randomUUID(), subtype, payload));
  }

  /**
   * Sends the handshake. Every frame of the CLI restarts its timeout, but not the time that it has in all. `gone` settles when
   * the process is gone.
   * @throws InitializationTimeoutError, InitializationError, and what `send` throws
   */
  async handshake(payload: object, gone: Promise<unknown>): Promise<unknown> {
    const { startTimeoutMs: timeoutMs, startTotalMs: totalMs, exitReadMs } = this.host.limits;
    try {
      return await this.#send({ kind: 'initialize', timeoutMs, totalMs }, payload, (id) => {
        this.#handshakeId = id;
      });
    } catch (error) {
      // The exit of a CLI that cannot be written to says more than the failed write. It is waited for, then its stderr.
      if (error instanceof TransportError) await within(2 * exitReadMs, gone);
      const words = { ...this.host.lastWords, cause: error };
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
    const { host } = this;
    // A CLI that says something is still starting.
    if (this.#handshakeId !== undefined) this.#pending.progress(this.#handshakeId);
    const routed = route(frame);
    switch (routed.kind) {
      case 'message':
        if (frame.type === 'system' && frame.subtype === 'control_request_progress') this.#progressed(frame.request_id);
        return false;
      case 'request':
        host.inbound.handle(routed.request, arrivedAt, rawJson.length);
        break;
      case 'response':
        if (routed.id !== undefined) this.#answered(routed.id, routed.answer);
        else host.warn(malformed('The CLI sent an answer without a request id.', { rawJson }));
        break;
      case 'cancel':
        if (routed.id !== undefined) host.inbound.cancel(routed.id);
        break;
      case 'bad-request': {
        const { id, missing } = routed;
        if (id !== undefined) host.link?.post(controlError(id, `The request has no ${missing}.`, 'invalid_request'));
        host.warn(malformed(`The CLI sent a control request without ${missing}.`, { id, missing }));
      }
    }
    return true;
  }

  failAll(why: () => Error): void {
    this.#pending.failAll(why);
  }

  /** The CLI reports that it still works on a request. */
  #progressed(id: unknown): void {
    if (typeof id === 'string') this.#pending.progress(id);
  }

  #answered(id: string, answer: ControlAnswer): void {
    const { report, redact } = this.host;
    const shown = answer.ok ? answer : { ...answer, error: redact(answer.error) };
    if (this.#pending.settle(id, shown)) report?.event({ type: 'request-answered', id, ok: answer.ok });
    else report?.log('debug', 'coxswain: received an answer to an unknown request', { id });
  }
}

function malformed(message: string, context: Warning['context']): Warning {
  return warning('malformed-control-frame', message, context);
}

/** The control requests of a session: those that come before it is ready are queued. */
export class SessionRequests extends ControlRequests<LiveSession> {
  /** How many wait for the session to be ready: they are sent before the first prompt. */
  queued = 0;

  /** Sends a control request as soon as the session is ready. */
  async request(subtype: string, payload: object = {}, options: RequestOptions = {}): Promise<unknown> {
    const session = this.host;
    // What is given to setMcpServers(), applySettings() and other requests may come back in an error or on stderr.
    session.plan.run.environment.learnFrom(payload);
    const { limits, turns, cli } = session;
    const since = steadyNow();
    const starting = isStarting(session.state);
    if (starting) {
      if (this.queued >= limits.maxQueuedOperations) throw new InitQueueOverflowError(limits.maxQueuedOperations);
      this.queued++;
    }
    try {
      if (starting) await unlessGivenUp(session.ready, subtype, options);
      // Otherwise the request is written at once, in the order of the calls.
      if (cli.versionDecides(subtype)) await unlessGivenUp(cli.versionKnown(), subtype, remaining(options, since));
      if (session.state !== 'running') throw session.stoppedError(`${subtype} was not sent`);
      return await this.send(subtype, payload, remaining(options, since));
    } catch (error) {
      if (error instanceof ControlRequestError) {
        session.report.log('error', `coxswain: the CLI refused ${subtype}: ${error.said}`, { kind: subtype });
      }
      throw error;
    } finally {
      if (starting) {
        this.queued--;
        turns.advance();
      }
    }
  }
}
