import { Connection, type ConnectionUser } from '../connection/connection.ts';
import type { RequestOptions } from '../control/pending.ts';
import { type CoxswainError, errorOf } from '../errors/base.ts';
import { plainError, redactedError, redactedWarning } from '../errors/redacted.ts';
import { type ProcessError, TransportError } from '../errors/stream.ts';
import { defaultSessionLimits, type Limits } from '../limits.ts';
import { ToolServers } from '../mcp/tool-servers.ts';
import { checkOperation } from '../options/operation.ts';
import type { SdkMcpServer } from '../options/sdk-server.ts';
import { childTransport } from '../process/child.ts';
import { givenTransport } from '../process/given-transport.ts';
import type { OutputEnd, ReaderSink } from '../process/output-reader.ts';
import { PrintedText } from '../process/printed-text.ts';
import { processFailure } from '../process/process-failure.ts';
import { type StartOutput, startOutput } from '../process/start-output.ts';
import { StderrTail } from '../process/stderr-tail.ts';
import type { ExitReport, Transport } from '../process/transport.ts';
import { createRedactor, type Redactor, secretsIn } from '../redact.ts';
import { safely } from '../report/safely.ts';
import { Feed } from '../stream/feed.ts';
import { handledCall } from '../stream/message-stream.ts';
import { currentContext } from '../timing/caller.ts';
import { keepingProcessAlive } from '../timing/timers.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { isJsonObject } from '../wire/kinds.ts';
import type { OversizeLine } from '../wire/lines.ts';
import type { Message } from '../wire/messages.ts';
import { RawInbound } from './raw-inbound.ts';
import type { RawEnd, RawFrame, RawSession, RawSessionOptions } from './raw-session.ts';

/** Starts the CLI and sends `initialize` immediately. Never throws: `started`, `handshake` and `ended` report failures. */
export function openRawSession(options: RawSessionOptions): RawSession {
  return new OpenRawSession(options);
}

/** The backlog above which a reader is behind, if the pipe can be paused for it. */
const BEHIND_BYTES = 1024 * 1024;

/** A raw session: the public face of one connection. */
class OpenRawSession implements RawSession, ReaderSink, ConnectionUser {
  readonly inbound: RawInbound;
  readonly started: Promise<void>;
  readonly handshake: Promise<Readonly<Record<string, unknown>>>;
  readonly ended: Promise<RawEnd>;
  readonly #options: RawSessionOptions;
  readonly #limits: Limits;
  readonly #redact: Redactor;
  readonly #stderr: StderrTail;
  readonly #connection: Connection;
  readonly #printed = new PrintedText();
  readonly #frames = new Feed({ keepsResults: false });
  readonly #tools: ToolServers;
  #closeCalled = false;

  constructor(options: RawSessionOptions) {
    const given = Object.entries(options.limits ?? {}).filter(([, value]) => value !== undefined);
    const limits = { ...defaultSessionLimits, ...Object.fromEntries(given) };
    const redact = createRedactor(secretsIn(options.env));
    this.#options = options;
    this.#limits = limits;
    this.#redact = redact;
    const onText = (text: string): void => safely(() => options.onStderr?.(text));
    const stderr = new StderrTail({ limitBytes: limits.stderrTailBytes, redact, onText });
    this.#stderr = stderr;
    const inContext = currentContext();
    this.#tools = new ToolServers(options.mcpServers ?? {}, {
      limits,
      context: () => inContext,
      send: (server, message) => this.#connection.requests.post('mcp_message', { server_name: server, message }),
      warn: (warned) => this.warn(warned),
      report: { skip: () => true, event: () => {} },
    });
    this.inbound = new RawInbound({
      onRequest: options.onRequest,
      tools: this.#tools,
      limits,
      inContext,
      write: (line) => this.#connection.post(line),
    });
    const wanted = (exited: boolean): boolean => exited || !this.#behind;
    this.#connection = new Connection({ limits, redact, reading: { stderr, sink: this, wanted, eager: true } }, this);
    this.ended = this.#connection.closed.then((exit) => this.#end(exit));
    this.started = this.#start();
    this.handshake = this.#greet();
    // `ended` reports both failures too, so a caller need not watch these promises.
    this.started.catch(() => {});
    this.handshake.catch(() => {});
  }

  get pid(): number | undefined {
    return this.#connection.pid;
  }

  get stderrTail(): string {
    return this.#stderr.text();
  }

  get lastWords(): StartOutput {
    return startOutput(this.#stderr, this.#printed);
  }

  get toolServers(): readonly string[] {
    return this.#tools.names;
  }

  /** A reader that is behind must not hold back an answer of the CLI, or its request to a callback. */
  get #behind(): boolean {
    const { onRequest, answersAtOnce = onRequest !== undefined } = this.#options;
    const { requests, state } = this.#connection;
    const asks = answersAtOnce || this.#tools.names.length > 0 || requests.waiting.length > 0;
    const waits = asks || !this.#frames.reading || state !== 'running';
    return this.#frames.bytes >= (waits ? this.#limits.backlogBytes : BEHIND_BYTES);
  }

  async next(): Promise<RawFrame | undefined> {
    do {
      const item = this.#frames.take();
      if (item?.kind === 'message') {
        this.#connection.resume();
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
      if (!this.#connection.over) await this.close();
    }
  }

  send(frame: object): Promise<void> {
    return handledCall(async () => {
      checkOperation({ frame });
      await this.#connection.send(frame);
    });
  }

  async endInput(): Promise<void> {
    await this.started;
    await this.#connection.endInput();
  }

  request(subtype: string, payload: object = {}, options: RequestOptions = {}): Promise<unknown> {
    return handledCall(async () => {
      checkOperation({ payload, options });
      const { ending, requests } = this.#connection;
      if (ending.begun) throw ending.stopped(`${subtype} was not sent`);
      return requests.send(subtype, payload, options);
    });
  }

  addToolServer(name: string, server: SdkMcpServer): void {
    this.#tools.add(name, server);
  }

  removeToolServer(name: string): Promise<void> {
    return this.#tools.remove(name);
  }

  close(): Promise<RawEnd> {
    const { ending, state } = this.#connection;
    if (!ending.begun) {
      this.#closeCalled = true;
      this.#frames.end(undefined, true);
      // A CLI that has not answered the handshake is not asked to exit.
      this.#connection.dispatch(state === 'running' ? 'stop' : 'exit');
    }
    return keepingProcessAlive(this.ended);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  chunk(): void {}

  message(frame: Message, rawJson: string): void {
    const { requests, ending } = this.#connection;
    if (requests.take(frame, rawJson, 0)) return;
    safely(() => this.#options.onFrame?.(frame, rawJson));
    // A raw frame has no time.
    if (!ending.begun) this.#frames.message(frame, rawJson, 0);
  }

  undecodable(error: CoxswainError): void {
    const shown = redactedError(error, this.#redact);
    this.#printed.note(shown);
    this.warn(warning('undecodable-line', shown.message, { error: plainError(shown) }));
  }

  warn(given: Warning): void {
    safely(() => this.#options.onWarning?.(redactedWarning(given, this.#redact)));
  }

  /** A frame is lost, and later ones may depend on it. */
  oversize({ bytes }: OversizeLine): void {
    const message = `The CLI sent a line of ${bytes} bytes, over limits.maxLineBytes (${this.#limits.maxLineBytes}). Raise the limit.`;
    this.#fail(new TransportError(message));
  }

  /** Does not wait for the end of the line, which may never arrive. */
  overflow(): void {
    const message = `A line of the CLI is longer than limits.maxLineBytes (${this.#limits.maxLineBytes}). Raise the limit.`;
    this.#fail(new TransportError(message));
  }

  outputEnded({ exit, failure }: OutputEnd): void {
    if (exit) this.#connection.dispatch('exit');
    else this.#fail(failure ?? new TransportError('The CLI closed its stdout and kept running, so it was ended.'));
  }

  async #start(): Promise<void> {
    const { argv, env, cwd, privateFiles = [] } = this.#options;
    try {
      await this.#connection.start(this.#transport(), { argv, env, cwd, privateFiles });
    } catch (error) {
      this.#connection.fail(errorOf(error));
      throw error;
    }
  }

  #transport(): Transport {
    const { transport, spawn, orphanGuard } = this.#options;
    if (transport) return givenTransport(transport);
    return childTransport({ spawn, orphanGuard, bufferBytes: BEHIND_BYTES, onWarning: (warned) => this.warn(warned) });
  }

  async #greet(): Promise<Readonly<Record<string, unknown>>> {
    const { requests, ending } = this.#connection;
    try {
      const answer = requests.handshake(this.#options.initialize ?? {}, this.ended);
      this.#connection.dispatch('handshake-sent');
      const body = await answer;
      this.#connection.dispatch('handshake-answered');
      return isJsonObject(body) ? body : {};
    } catch (error) {
      const failure = ending.failure ?? errorOf(error);
      this.#fail(failure);
      throw failure;
    }
  }

  #fail(failure: Error): void {
    if (this.#connection.ending.begun) return;
    // Its reader waits for the end, and a CLI that is being ended does not keep the host alive.
    void keepingProcessAlive(this.ended);
    this.#connection.fail(failure);
  }

  #end(exit: ExitReport): RawEnd {
    this.#frames.end();
    const { failure } = this.#connection.ending;
    return { exit, failure, exitFailure: failure ? undefined : this.#exitFailure(exit), closed: this.#closeCalled };
  }

  #exitFailure(exit: ExitReport): ProcessError | undefined {
    if (this.#closeCalled || (exit.exitCode === 0 && exit.signal === null)) return undefined;
    return processFailure(exit, this.#stderr);
  }
}
