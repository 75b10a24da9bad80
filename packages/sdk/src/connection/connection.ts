import type { Limits } from '../limits.ts';
import type { OutputEnd, ReaderOptions } from '../process/output-reader.ts';
import { type EndStep, endProcess, killSteps, sessionSteps } from '../process/shutdown.ts';
import { type ExitReport, NEVER_STARTED, type StartRequest, type Transport } from '../process/transport.ts';
import type { Redactor } from '../redact.ts';
import { Deferred, keepingProcessAlive, within } from '../timing/timers.ts';
import { encodeLine } from '../wire/encode.ts';
import { Ending } from './ending.ts';
import { askToExit } from './farewell.ts';
import { Pipe } from './pipe.ts';
import { ControlRequests, type RequestHandler, type RequestObserver } from './requests.ts';
import { isFinal, isStarting, type LifecycleEvent, type LifecycleState, transition } from './state.ts';

/** The parts that use a connection. */
export interface ConnectionUser extends RequestObserver {
  /** Answers the requests of the CLI. */
  readonly inbound: RequestHandler;
  /** The work of the CLI that its exit would cut short; a raw session has none. */
  readonly turns?: { readonly quiet: boolean; idle(): Promise<void> };
  /** The state has changed. */
  changed?(state: LifecycleState): void;
  /** stdout has ended, or cannot be read, or stdin is not read: decides what that means, and calls `dispatch` or `fail`. */
  outputEnded(end: OutputEnd): unknown;
  /** Nothing more will arrive. Called once, after `ending` has begun. */
  over?(): void;
  /** Called when the process has exited, before `closed` resolves. */
  exited?(exit: ExitReport): Promise<void>;
}

export interface ConnectionOptions {
  readonly limits: Limits;
  readonly redact: Redactor;
  /** How the output is read. */
  readonly reading: Pick<ReaderOptions, 'stderr' | 'sink' | 'wanted' | 'eager'>;
  /** For a CLI without a control protocol: how its process is ended in this state. Otherwise the CLI is asked to exit first. */
  readonly endSteps?: (state: LifecycleState) => readonly EndStep[];
  /** Keeps the host process alive until a failed CLI has exited, because another one will replace it. */
  readonly holdsHost?: boolean;
}

/** One CLI process from its start to its end: the only life-cycle state of a process, its pipes and its control requests. */
export class Connection {
  /** Begins when the connection is closed or fails, or the CLI exits. Every part listens to it. */
  readonly ending: Ending = new Ending();
  readonly requests: ControlRequests;
  readonly #closed = new Deferred<ExitReport>();
  /** Resolves when the process has exited and everything is settled; never rejects. */
  readonly closed: Promise<ExitReport> = this.#closed.promise;
  readonly #options: ConnectionOptions;
  readonly #user: ConnectionUser;
  #pipe: Pipe | undefined;
  #state: LifecycleState = 'starting';
  #starting: Promise<void> = Promise.resolve();
  /** True once the process has started. What waited for that is written in the same moment. */
  #writable = false;
  #exit: Promise<ExitReport> | undefined;
  #killed = false;

  constructor(options: ConnectionOptions, user: ConnectionUser) {
    this.#options = options;
    this.#user = user;
    const { limits, redact } = options;
    const wire = {
      write: (frame: object) => this.send(frame),
      post: (frame: object) => this.post(encodeLine(frame)),
      resume: () => this.resume(),
    };
    const { inbound } = user;
    this.requests = new ControlRequests(wire, { limits, redact, ending: this.ending, inbound, observer: user });
  }

  get state(): LifecycleState {
    return this.#state;
  }

  get starting(): boolean {
    return isStarting(this.#state);
  }

  /** True when nothing more can happen. */
  get over(): boolean {
    return isFinal(this.#state);
  }

  get pid(): number | undefined {
    return this.#pipe?.transport.pid;
  }

  /** True once the process runs. */
  get started(): boolean {
    return this.#pipe?.started === true;
  }

  /** Starts the process and reads its output. @throws SpawnError; what ended the connection before the process had started */
  async start(transport: Transport, request: StartRequest): Promise<void> {
    const { limits, reading } = this.#options;
    this.#pipe = new Pipe(transport, {
      limits,
      ...reading,
      outputEnded: (end) => this.#user.outputEnded(end),
      inputLost: (failure) => {
        // A CLI that reads one prompt need not read all of it.
        if (!this.ending.begun && !this.#options.endSteps) this.#user.outputEnded({ failure });
      },
    });
    this.#starting = this.#pipe.start(request);
    // A process that a transport starts after the end was reported is ended silently.
    const tooLate = this.closed.then(() => {
      if (!this.#writable)
        throw this.ending.failure ?? this.ending.stopped('The session was closed while it was starting');
    });
    await Promise.race([this.#starting, tooLate]);
    this.#writable = true;
  }

  /** Writes one frame. @throws SessionStoppedError, TransportError */
  send(frame: object): Promise<void> {
    return this.write(encodeLine(frame));
  }

  /** Writes a text as it is. @throws SessionStoppedError, TransportError */
  async write(text: string): Promise<void> {
    // Earlier input for a starting process is written first, in the order of the calls.
    if (!this.#writable && !this.over) await this.#starting;
    if (!this.#pipe || this.over) throw this.ending.stopped('Nothing can be written');
    await this.#pipe.write(text);
  }

  /** Writes one line without waiting; a failed write drops it. */
  post(line: string): void {
    const pipe = this.#pipe;
    if (this.#writable) return pipe?.post(line);
    // Not before earlier input for a starting process.
    void this.#starting.then(
      () => pipe?.post(line),
      () => {},
    );
  }

  /** Closes stdin and keeps reading. */
  async endInput(): Promise<void> {
    await this.#pipe?.endInput();
  }

  resume(): void {
    this.#pipe?.resume();
  }

  /** Decodes the next line; false when there is none. Only for a reader that is not eager. */
  step(): boolean {
    return this.#pipe?.step() === true;
  }

  /** Whether a slow consumer has paused the output in the last `ms`. */
  pausedWithin(ms: number): boolean {
    return this.#pipe?.pausedWithin(ms) === true;
  }

  /** Whether the process has exited, or does so within the time in which the exit of one that cannot be written to is noticed. */
  async exitsNow(): Promise<boolean> {
    if (!this.over) await within(2 * this.#options.limits.exitReadMs, this.closed);
    return this.over;
  }

  /** Ends the process gracefully; resolves when it has exited. */
  stop(): Promise<ExitReport> {
    this.dispatch('stop');
    return keepingProcessAlive(this.closed);
  }

  /** Ends the process before it can do anything else, for this reason; nothing is answered. Resolves when it has exited. */
  kill(reason: Error): Promise<ExitReport> {
    this.ending.blame(reason);
    this.#killed = true;
    this.#pipe?.transport.signal('kill');
    this.dispatch('kill');
    return keepingProcessAlive(this.closed);
  }

  /** Ends the process now. */
  fail(failure: Error): void {
    this.ending.blame(failure);
    this.dispatch('failure');
  }

  dispatch(event: LifecycleEvent): void {
    const state = transition(this.#state, event);
    if (state === this.#state) return;
    this.#state = state;
    this.#user.changed?.(state);
    if (state === 'stopping') void this.#stop();
    else if (isFinal(state)) void this.#finish();
  }

  /** Fails what waits, then asks the CLI to exit. */
  async #stop(): Promise<void> {
    this.ending.begin();
    const exit = await this.#end(true);
    this.#user.outputEnded({ exit });
  }

  /** The end of every connection: fails what waits, then ends the process. */
  async #finish(): Promise<void> {
    this.ending.begin();
    this.#user.over?.();
    this.#pipe?.discard();
    const exit = await this.#end(false);
    this.requests.failAll();
    await this.#user.exited?.(exit);
    this.#closed.resolve(exit);
  }

  /** The process is ended once: every call returns the same report. */
  #end(gracefully: boolean): Promise<ExitReport> {
    this.#exit ??= this.#endOnce(gracefully);
    return this.#exit;
  }

  async #endOnce(gracefully: boolean): Promise<ExitReport> {
    const answered = this.#user.inbound.stop();
    const pipe = this.#pipe;
    if (!pipe) return NEVER_STARTED;
    if (!pipe.started) return this.#endStart(pipe);
    if (gracefully) await answered;
    return this.#endProcess(pipe, gracefully);
  }

  /** A transport may take forever to start; a process that it starts later is still ended. */
  async #endStart(pipe: Pipe): Promise<ExitReport> {
    const settled = this.#starting.catch(() => {});
    const ended = settled.then(() => (pipe.started ? this.#endProcess(pipe, false) : NEVER_STARTED));
    await within(this.#options.limits.graceMs, settled, { unref: true });
    return pipe.started ? ended : NEVER_STARTED;
  }

  async #endProcess(pipe: Pipe, gracefully: boolean): Promise<ExitReport> {
    const { limits, endSteps, holdsHost = false } = this.#options;
    const { transport } = pipe;
    if (endSteps) {
      pipe.discard();
      return endProcess(transport, endSteps(this.#state), true);
    }
    if (this.#killed) return endProcess(transport, killSteps);
    if (!gracefully) return endProcess(transport, sessionSteps(limits, 0), !holdsHost);
    const { inbound, turns: work } = this.#user;
    const { requests } = this;
    const leftMs = await askToExit({ limits, transport, requests, work, inbound, endInput: () => pipe.endInput() });
    const exit = await endProcess(transport, sessionSteps(limits, leftMs), true);
    // The end of the output is first, because it may contain an unfinished line.
    await within(limits.exitReadMs, pipe.outputRead, { unref: true });
    return exit;
  }
}
