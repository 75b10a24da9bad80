import { PendingRequests, type RequestOptions } from '../control/pending.ts';
import { requestIn, route } from '../control/router.ts';
import { type CoxswainError, errorOf } from '../errors/base.ts';
import { ControlRequestError, ControlTimeoutError, SessionStoppedError } from '../errors/session.ts';
import { InitializationError, InitializationTimeoutError } from '../errors/start.ts';
import { type ProcessError, TransportError } from '../errors/stream.ts';
import { defaultSessionLimits, type Limits } from '../limits.ts';
import { ToolServers } from '../mcp/bridge.ts';
import { checkOperation } from '../options/operation.ts';
import { childTransport } from '../process/child.ts';
import type { ReaderSink } from '../process/output-reader.ts';
import { processFailure } from '../process/process-failure.ts';
import { StderrTail } from '../process/stderr-tail.ts';
import { type ExitReport, NEVER_STARTED } from '../process/transport.ts';
import { createRedactor, type Redactor, secretsIn } from '../redact.ts';
import { plainError, redactedError, redactedWarning } from '../report/redacted.ts';
import { safely } from '../report/report.ts';
import { Ending, type EndingSession } from '../session/ending.ts';
import { Link, type LinkOwner } from '../session/link.ts';
import { Feed } from '../stream/feed.ts';
import { handledCall } from '../stream/message-stream.ts';
import { currentContext } from '../timing/caller.ts';
import { Deferred, keepingProcessAlive, within } from '../timing/timers.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { controlCancel, controlError, controlRequest } from '../wire/encode.ts';
import { isJsonObject } from '../wire/kinds.ts';
import type { OversizeLine } from '../wire/lines.ts';
import type { Message } from '../wire/messages.ts';
import { RawInbound } from './raw-inbound.ts';
import type { RawSessionOptions } from './raw-options.ts';
import type { RawEnd, RawFrame, RawSession } from './raw-session.ts';

/** A reader is behind from here on, if the pipe can be paused for it. */
const BEHIND_BYTES = 1024 * 1024;

/** A raw session from its start to its end. */
export class LiveRawSession implements RawSession, ReaderSink, EndingSession, LinkOwner {
  readonly limits: Limits;
  readonly inbound: RawInbound;
  readonly started: Promise<void>;
  readonly handshake: Promise<Readonly<Record<string, unknown>>>;
  readonly ended: Promise<RawEnd>;
  readonly #options: RawSessionOptions;
  readonly #redact: Redactor;
  readonly #tail: StderrTail;
  readonly #stderrText = new TextDecoder();
  readonly #frames = new Feed({ keepsResults: false });
  readonly #tools: ToolServers;
  readonly #pending: PendingRequests;
  readonly #ending = new Ending(this);
  readonly #ended = new Deferred<RawEnd>();
  readonly link: Link;
  #state: 'starting' | 'greeting' | 'running' | 'closing' | 'over' = 'starting';
  #handshakeId: string | undefined;
  #closed = false;
  #failure: Error | undefined;

  constructor(options: RawSessionOptions) {
    const given = Object.entries(options.limits ?? {}).filter(([, value]) => value !== undefined);
    this.#options = options;
    this.limits = { ...defaultSessionLimits, ...Object.fromEntries(given) };
    this.#redact = createRedactor(secretsIn(options.env));
    this.#tail = new StderrTail({ limitBytes: this.limits.stderrTailBytes, redact: this.#redact });
    const inContext = currentContext();
    this.#tools = new ToolServers(options.mcpServers ?? {}, {
      limits: this.limits,
      context: () => inContext,
      send: (server, message) =>
        this.link.post(controlRequest(crypto.randomUUID(), 'mcp_message', { server_name: server, message })),
      warn: (warned) => this.warning(warned),
      report: () => {},
    });
    this.inbound = new RawInbound({
      onRequest: options.onRequest,
      tools: this.#tools,
      inContext,
      write: (line) => this.link.postLine(line),
    });
    this.#pending = new PendingRequests(this.limits.maxPendingRequests, {
      aborted: (id) => this.link.post(controlCancel(id)),
      timedOut: () => {},
    });
    const { spawn, orphanGuard } = options;
    const onWarning = (warned: Warning): void => this.warning(warned);
    const transport = options.transport ?? childTransport({ spawn, orphanGuard, bufferBytes: BEHIND_BYTES, onWarning });
    this.link = new Link(this, this, transport);
    this.ended = this.#ended.promise;
    this.started = this.#start();
    this.handshake = this.#greet();
    // Both are reported by `ended` too; a caller need not watch them.
    this.started.catch(() => {});
    this.handshake.catch(() => {});
  }

  get pid(): number | undefined {
    return this.link.transport.pid;
  }

  get stderrTail(): string {
    return this.#tail.text();
  }

  get toolServers(): readonly string[] {
    return this.#tools.names;
  }

  /** For the end: a raw session knows no turns, only whether the CLI waits for an answer. */
  get turns(): EndingSession['turns'] {
    return { quiet: this.inbound.open === 0, idle: async () => {} };
  }

  /** For the end, which sends requests while the session is closing. */
  get requests(): EndingSession['requests'] {
    return { send: (subtype, payload, options) => this.#ask(subtype, payload, options) };
  }

  /** For the link. A paused pipe would hold back the answer to a request, or a request to a callback. */
  get behind(): boolean {
    const { onRequest, answersAtOnce = onRequest !== undefined } = this.#options;
    const asks = answersAtOnce || this.#tools.names.length > 0 || this.#pending.list().length > 0;
    const waits = asks || !this.#frames.reading || this.#state !== 'running';
    return this.#frames.bytes >= (waits ? this.limits.backlogBytes : BEHIND_BYTES);
  }

  /** For the link: what the CLI writes to stderr. */
  readonly stderr: LinkOwner['stderr'] = {
    push: (chunk) => {
      this.#tail.push(chunk);
      this.#tellStderr(this.#stderrText.decode(chunk, { stream: true }));
    },
    end: () => {
      this.#tail.end();
      this.#tellStderr(this.#stderrText.decode());
    },
  };

  async next(): Promise<RawFrame | undefined> {
    do {
      const item = this.#frames.take();
      if (item?.kind === 'message') {
        this.link.resume();
        return { message: item.message, rawJson: item.rawJson };
      }
    } while (await this.#frames.more());
    return undefined;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RawFrame, undefined> {
    try {
      for (;;) {
        const frame = await this.next();
        if (frame === undefined) return;
        yield frame;
      }
    } finally {
      if (this.#state !== 'over') await this.close();
    }
  }

  send(frame: object): Promise<void> {
    return handledCall(async () => {
      checkOperation({ frame });
      await this.#write(frame);
    });
  }

  async endInput(): Promise<void> {
    await this.started;
    await this.link.transport.endInput();
  }

  request(subtype: string, payload: object = {}, options: RequestOptions = {}): Promise<unknown> {
    return handledCall(async () => {
      checkOperation({ payload, options });
      if (this.#state === 'closing') throw this.#stopped(`${subtype} was not sent`);
      return this.#ask(subtype, payload, options);
    });
  }

  addToolServer(name: string, server: Parameters<RawSession['addToolServer']>[1]): void {
    this.#tools.add(name, server);
  }

  removeToolServer(name: string): Promise<void> {
    return this.#tools.remove(name);
  }

  close(): Promise<RawEnd> {
    if (this.#state !== 'closing' && this.#state !== 'over') {
      this.#closed = true;
      this.#frames.end(undefined, true);
      void this.#end(this.#state === 'running');
    }
    return keepingProcessAlive(this.ended);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  chunk(): void {}

  message(frame: Message, rawJson: string): void {
    if (this.#handshakeId !== undefined) this.#pending.progress(this.#handshakeId);
    const request = requestIn(frame);
    if (request) return this.inbound.handle(request);
    const routed = route(frame);
    if (routed.kind === 'message') return this.#message(frame, rawJson);
    if (routed.kind === 'response' && routed.id !== undefined) void this.#pending.settle(routed.id, routed.answer);
    else if (routed.kind === 'cancel' && routed.id !== undefined) this.inbound.cancel(routed.id);
    else if (routed.kind === 'bad-request') {
      const { id, missing } = routed;
      if (id !== undefined) this.link.post(controlError(id, `The request has no ${missing}.`, 'invalid_request'));
      this.warning(warning('malformed-control-frame', `The CLI sent a control request without ${missing}.`, { id }));
    }
  }

  undecodable(error: CoxswainError): void {
    const shown = redactedError(error, this.#redact);
    this.warning(warning('undecodable-line', shown.message, { error: plainError(shown) }));
  }

  warning(given: Warning): void {
    safely(() => this.#options.onWarning?.(redactedWarning(given, this.#redact)));
  }

  /** A frame is lost, and what follows may depend on it. */
  oversize({ bytes }: OversizeLine): void {
    const message = `The CLI sent a line of ${bytes} bytes, over limits.maxLineBytes (${this.limits.maxLineBytes}). Raise the limit.`;
    this.#fail(new TransportError(message));
  }

  /** A line that never ends would be waited for without end. */
  overflow(): void {
    const message = `A line of the CLI is longer than limits.maxLineBytes (${this.limits.maxLineBytes}). Raise the limit.`;
    this.#fail(new TransportError(message));
  }

  broken(failure: Error | undefined): void {
    this.#fail(failure ?? new TransportError('The CLI closed its stdout and kept running, so it was ended.'));
  }

  /** The process is gone: its pipes are closed, and everything that waits is settled. */
  async gone(exit: ExitReport): Promise<void> {
    if (this.#state === 'over') return;
    this.#state = 'over';
    void this.inbound.stop();
    this.#pending.failAll(() => this.#failure ?? this.#stopped('The request was not answered'));
    this.link.close();
    if (this.link.started) await this.#ending.now(true);
    this.#frames.end();
    this.#ended.resolve({
      exit,
      failure: this.#failure,
      exitFailure: this.#exitFailure(exit),
      closed: this.#closed,
    });
  }

  async #start(): Promise<void> {
    const { argv, env, cwd, privateFiles = [] } = this.#options;
    try {
      await this.link.start({ argv, env, cwd, privateFiles });
    } catch (error) {
      this.#failure ??= errorOf(error);
      await this.gone(NEVER_STARTED);
      throw error;
    }
    if (this.#state === 'starting') this.#state = 'greeting';
  }

  async #greet(): Promise<Readonly<Record<string, unknown>>> {
    const { startTimeoutMs: timeoutMs } = this.limits;
    try {
      const answer = await this.#ask('initialize', this.#options.initialize ?? {}, { timeoutMs }, (id) => {
        this.#handshakeId = id;
      });
      if (this.#state === 'greeting') this.#state = 'running';
      return isJsonObject(answer) ? answer : {};
    } catch (error) {
      // The exit of a CLI that cannot be written to says more than the failed write. It is waited for, then its stderr.
      if (error instanceof TransportError) await within(2 * this.limits.exitReadMs, this.ended);
      const failure = this.#handshakeFailure(error);
      this.#fail(failure);
      throw failure;
    } finally {
      this.#handshakeId = undefined;
    }
  }

  #handshakeFailure(error: unknown): Error {
    const words = { stderrTail: this.stderrTail, cause: error };
    if (error instanceof ControlTimeoutError) return new InitializationTimeoutError(this.limits.startTimeoutMs, words);
    if (error instanceof ControlRequestError) return new InitializationError(error.said, words);
    return this.#failure ?? errorOf(error);
  }

  async #ask(
    subtype: string,
    payload: object,
    options: RequestOptions,
    onId = (_id: string): void => {},
  ): Promise<unknown> {
    if (this.#state === 'over') throw this.#stopped(`${subtype} was not sent`);
    const { timeoutMs = this.limits.controlTimeoutMs, signal } = options;
    const answered = this.#pending.open({ kind: subtype, timeoutMs, signal }, (id) => {
      onId(id);
      return this.#write(controlRequest(id, subtype, payload));
    });
    this.link.resume();
    return answered;
  }

  async #write(frame: object): Promise<void> {
    if (this.#state === 'over') throw this.#stopped('The frame was not sent');
    await this.started;
    await this.link.send(frame);
  }

  #message(frame: Message, rawJson: string): void {
    if (frame.type === 'system' && frame.subtype === 'control_request_progress') {
      if (typeof frame.request_id === 'string') this.#pending.progress(frame.request_id);
    }
    safely(() => this.#options.onFrame?.(frame));
    // A raw frame has no time.
    if (this.#state !== 'closing') this.#frames.message(frame, rawJson, 0);
  }

  #fail(failure: Error): void {
    if (this.#state === 'over' || this.#state === 'closing') return;
    this.#failure ??= failure;
    // Its reader waits for the end, and a CLI that is being ended does not keep the host alive.
    void keepingProcessAlive(this.ended);
    void this.#end(false);
  }

  async #end(gracefully: boolean): Promise<void> {
    this.#state = 'closing';
    this.#pending.failAll(() => this.#failure ?? this.#stopped('The session was closed'));
    if (!gracefully) void this.inbound.stop();
    await this.gone(await (gracefully ? this.#ending.gracefully() : this.#ending.now(true)));
  }

  #exitFailure(exit: ExitReport): ProcessError | undefined {
    if (this.#closed || this.#failure || (exit.exitCode === 0 && exit.signal === null)) return undefined;
    return processFailure(exit, this.#tail);
  }

  #stopped(what: string): SessionStoppedError {
    return new SessionStoppedError(what, this.#failure);
  }

  #tellStderr(text: string): void {
    if (text !== '') safely(() => this.#options.onStderr?.(text));
  }
}
