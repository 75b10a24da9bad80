import { steadyNow } from '../clock.ts';
import {
  PendingRequests,
  type RequestOptions,
  remaining,
  unlessGivenUp,
  type WaitingRequest,
} from '../control/pending.ts';
import type { ControlAnswer } from '../control/router.ts';
import { InitQueueOverflowError } from '../errors/session.ts';
import { controlCancel, controlRequest } from '../wire/encode.ts';
import { isFinal, isStarting } from './lifecycle.ts';
import type { LiveSession } from './live.ts';

/** The control requests of a session: queued until it is ready, then sent and matched with their answers. */
export class ControlRequests {
  /** How many wait for the session to be ready: they are sent before the first prompt. */
  queued = 0;
  readonly #session: LiveSession;
  readonly #pending: PendingRequests;
  #handshakeId: string | undefined;

  constructor(session: LiveSession) {
    this.#session = session;
    this.#pending = new PendingRequests(session.limits.maxPendingRequests, {
      aborted: (id) => session.link?.post(controlCancel(id)),
      timedOut: (id, { kind, timeoutMs }) => {
        session.report.event({ type: 'request-answered', id, ok: false });
        session.report.log('warn', `coxswain: the CLI did not answer ${kind} within ${timeoutMs} ms`, { id, kind });
      },
    });
  }

  get waiting(): readonly WaitingRequest[] {
    return this.#pending.list();
  }

  /** Sends a control request as soon as the session is ready. */
  async request(subtype: string, payload: object = {}, options: RequestOptions = {}): Promise<unknown> {
    const session = this.#session;
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
      return this.send(subtype, payload, remaining(options, since));
    } finally {
      if (starting) {
        this.queued--;
        turns.advance();
      }
    }
  }

  /** Sends a control request now, in any state that is not final. */
  async send(
    subtype: string,
    payload: object,
    options: RequestOptions,
    onId = (_id: string): void => {},
  ): Promise<unknown> {
    const session = this.#session;
    if (isFinal(session.state)) throw session.stoppedError(`${subtype} was not sent`);
    session.cli.refuseIfTooOld(subtype);
    const { timeoutMs = session.limits.controlTimeoutMs, signal } = options;
    const answered = this.#pending.open({ kind: subtype, timeoutMs, signal }, (id) => {
      onId(id);
      session.report.event({ type: 'request-sent', id, kind: subtype });
      return session.send(controlRequest(id, subtype, payload));
    });
    // A paused pipe would hold back the answer.
    session.link?.resume();
    return answered;
  }

  /** Sends the handshake. Every frame of the CLI restarts its timeout. */
  handshake(payload: object): Promise<unknown> {
    return this.send('initialize', payload, { timeoutMs: this.#session.limits.startTimeoutMs }, (id) => {
      this.#handshakeId = id;
    });
  }

  /** A frame came: a CLI that says something is still starting. */
  heard(): void {
    if (this.#handshakeId !== undefined) this.progress(this.#handshakeId);
  }

  /** The CLI reports that it still works on a request. */
  progress(id: string): void {
    this.#pending.progress(id);
  }

  answered(id: string, answer: ControlAnswer): void {
    const { report, redact } = this.#session;
    const shown = answer.ok ? answer : { ...answer, error: redact(answer.error) };
    if (this.#pending.settle(id, shown)) report.event({ type: 'request-answered', id, ok: answer.ok });
    else report.log('debug', 'coxswain: no request waits for this answer', { id });
  }

  failAll(why: () => Error): void {
    this.#pending.failAll(why);
  }
}
