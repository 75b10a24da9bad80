import type { RequestOptions } from '../control/pending.ts';
import { type CoxswainError, errorOf } from '../errors/base.ts';
import { SessionStoppedError } from '../errors/session.ts';
import { type ProcessError, TransportError } from '../errors/stream.ts';
import { defaultSessionLimits, type Limits } from '../limits.ts';
import { ToolServers } from '../mcp/tool-servers.ts';
import { checkOperation } from '../options/operation.ts';
import type { SdkMcpServer } from '../options/sdk-server.ts';
import { childTransport } from '../process/child.ts';
import { givenTransport } from '../process/given-transport.ts';
import type { ReaderSink } from '../process/output-reader.ts';
import { PrintedText } from '../process/printed-text.ts';
import { processFailure } from '../process/process-failure.ts';
import { startOutput } from '../process/start-output.ts';
import { StderrTail } from '../process/stderr-tail.ts';
import { type ExitReport, NEVER_STARTED } from '../process/transport.ts';
import { createRedactor, type Redactor, secretsIn } from '../redact.ts';
import { plainError, redactedError, redactedWarning } from '../report/redacted.ts';
import { safely } from '../report/report.ts';
import { Link } from '../session/link.ts';
import { ControlRequests, type RequestHost } from '../session/requests.ts';
import { Feed } from '../stream/feed.ts';
import { handledCall } from '../stream/message-stream.ts';
import { currentContext } from '../timing/caller.ts';
import { Deferred, keepingProcessAlive } from '../timing/timers.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { isJsonObject } from '../wire/kinds.ts';
import type { OversizeLine } from '../wire/lines.ts';
import type { Message } from '../wire/messages.ts';
import { RawInbound } from './raw-inbound.ts';
import type { RawEnd, RawFrame, RawSession, RawSessionOptions } from './raw-session.ts';

/** A reader is behind from here on, if the pipe can be paused for it. */
const BEHIND_BYTES = 1024 * 1024;

/** A raw session from its start to its end. */
export class LiveRawSession implements RawSession, ReaderSink, RequestHost {
  readonly limits: Limits;
  readonly redact: Redactor;
  readonly stderr: StderrTail;
  readonly inbound: RawInbound;
  readonly requests: ControlRequests;
  readonly link: Link;
  readonly started: Promise<void>;
  readonly handshake: Promise<Readonly<Record<string, unknown>>>;
  readonly ended: Promise<RawEnd>;
  readonly #options: RawSessionOptions;
  readonly #printed = new PrintedText();
  readonly #frames = new Feed({ keepsResults: false });
  readonly #tools: ToolServers;
  readonly #ended = new Deferred<RawEnd>();
  #state: 'starting' | 'running' | 'closing' | 'over' = 'starting';
  #closed = false;
  #failure: Error | undefined;

  constructor(options: RawSessionOptions) {
    const given = Object.entries(options.limits ?? {}).filter(([, value]) => value !== undefined);
    this.#options = options;
    this.limits = { ...defaultSessionLimits, ...Object.fromEntries(given) };
    this.redact = createRedactor(secretsIn(options.env));
    this.stderr = new StderrTail({
      limitBytes: this.limits.stderrTailBytes,
      redact: this.redact,
      onText: (text) => safely(() => options.onStderr?.(text)),
    });
    const inContext = currentContext();
    this.#tools = new ToolServers(options.mcpServers ?? {}, {
      limits: this.limits,
      context: () => inContext,
      send: (server, message) => this.requests.post('mcp_message', { server_name: server, message }),
      warn: (warned) => this.warn(warned),
      report: () => {},
    });
    this.inbound = new RawInbound({
      onRequest: options.onRequest,
      tools: this.#tools,
      limits: this.limits,
      inContext,
      write: (line) => this.link.postLine(line),
    });
    this.requests = new ControlRequests(this);
    const { spawn, orphanGuard } = options;
    const onWarning = (warned: Warning): void => this.warn(warned);
    const transport = options.transport
      ? givenTransport(options.transport)
      : childTransport({ spawn, orphanGuard, bufferBytes: BEHIND_BYTES, onWarning });
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
    return this.stderr.text();
  }

  get lastWords(): RequestHost['lastWords'] {
    return startOutput(this.stderr, this.#printed);
  }

  get toolServers(): readonly string[] {
    return this.#tools.names;
  }

  /** For the link. A paused pipe would hold back the answer to a request, or a request to a callback. */
  get behind(): boolean {
    const { onRequest, answersAtOnce = onRequest !== undefined } = this.#options;
    const asks = answersAtOnce || this.#tools.names.length > 0 || this.requests.waiting.length > 0;
    const waits = asks || !this.#frames.reading || this.#state !== 'running';
    return this.#frames.bytes >= (waits ? this.limits.backlogBytes : BEHIND_BYTES);
  }

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
      await this.write(frame);
    });
  }

  async endInput(): Promise<void> {
    await this.started;
    await this.link.endInput();
  }

  request(subtype: string, payload: object = {}, options: RequestOptions = {}): Promise<unknown> {
    return handledCall(async () => {
      checkOperation({ payload, options });
      if (this.#state === 'closing') throw this.#stopped(`${subtype} was not sent`);
      return this.requests.send(subtype, payload, options);
    });
  }

  checkRequest(subtype: string): void {
    if (this.#state === 'over') throw this.#stopped(`${subtype} was not sent`);
  }

  async write(frame: object): Promise<void> {
    if (this.#state === 'over') throw this.#stopped('The frame was not sent');
    await this.started;
    await this.link.send(frame);
  }

  addToolServer(name: string, server: SdkMcpServer): void {
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
    if (this.requests.take(frame, rawJson, 0)) return;
    safely(() => this.#options.onFrame?.(frame, rawJson));
    // A raw frame has no time.
    if (this.#state !== 'closing') this.#frames.message(frame, rawJson, 0);
  }

  undecodable(error: CoxswainError): void {
    const shown = redactedError(error, this.redact);
    this.#printed.note(shown);
    this.warn(warning('undecodable-line', shown.message, { error: plainError(shown) }));
  }

  warn(given: Warning): void {
    safely(() => this.#options.onWarning?.(redactedWarning(given, this.redact)));
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
    this.requests.failAll(() => this.#failure ?? this.#stopped('The request was not answered'));
    this.link.close();
    if (this.link.started) await this.link.endNow(true);
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
  }

  async #greet(): Promise<Readonly<Record<string, unknown>>> {
    try {
      const answer = await this.requests.handshake(this.#options.initialize ?? {}, this.ended);
      if (this.#state === 'starting') this.#state = 'running';
      return isJsonObject(answer) ? answer : {};
    } catch (error) {
      const failure = this.#failure ?? errorOf(error);
      this.#fail(failure);
      throw failure;
    }
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
    this.requests.failAll(() => this.#failure ?? this.#stopped('The session was closed'));
    if (!gracefully) void this.inbound.stop();
    await this.gone(await (gracefully ? this.link.endGracefully() : this.link.endNow(true)));
  }

  #exitFailure(exit: ExitReport): ProcessError | undefined {
    if (this.#closed || this.#failure || (exit.exitCode === 0 && exit.signal === null)) return undefined;
    return processFailure(exit, this.stderr);
  }

  #stopped(what: string): SessionStoppedError {
    return new SessionStoppedError(what, this.#failure);
  }
}
