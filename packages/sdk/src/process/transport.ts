import type { OutputFlow, OutputReceiver } from './output-flow.ts';

/** How a process ended. */
export interface ExitReport {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** What it took: it left by itself, or the last thing we had to send. */
  readonly ended: 'by-itself' | 'interrupted' | 'terminated' | 'killed';
  /** Set when the process could not be started, or was lost. */
  readonly error?: Error;
}

/** What there is to say about a process that never was. */
export const NEVER_STARTED: ExitReport = { exitCode: null, signal: null, ended: 'by-itself' };

/** Content the CLI must read from a file, because nobody else may see it on the command line. */
export interface PrivateFile {
  /** The argv entry that takes the file's path. */
  readonly argvIndex: number;
  readonly name: string;
  readonly content: string;
  /** The CLI looks the path up once more after opening it, so the file needs a name until the CLI speaks. */
  readonly named?: boolean;
}

/** Everything a transport needs to start the CLI. */
export interface StartRequest {
  /** The CLI and what stands before it (`node`, for a script), then its arguments. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly privateFiles: readonly PrivateFile[];
}

/** The three things a transport can be told to do to the CLI. */
export type TransportSignal = 'interrupt' | 'terminate' | 'kill';

/**
 * The seam between the SDK and the CLI. The SDK calls `start` once and owns the transport from then on.
 * Output is pulled: while nobody reads `output`, the transport must not read on without bound.
 */
export interface Transport {
  /** Starts the CLI; resolves once it runs. @throws SpawnError */
  start(request: StartRequest): Promise<void>;
  /** The CLI's stdout; ends when the pipe does. Iterated once; leaving the iteration closes the pipe. */
  readonly output: AsyncIterable<Uint8Array>;
  /** The same handed over as it comes, without a promise per chunk; used in the place of `output` where it is there. */
  flow?(receiver: OutputReceiver): OutputFlow;
  /** The CLI's stderr; the same as `output`. */
  readonly errorOutput: AsyncIterable<Uint8Array>;
  /** Writes one text, resolves when the pipe has taken it. @throws TransportError */
  write(text: string): Promise<void>;
  /** Writes one text that nobody waits for; a CLI that is gone does not need it. Never throws. */
  post?(text: string): void;
  /** Closes the CLI's stdin. */
  endInput(): Promise<void>;
  /** `interrupt` asks, `terminate` insists; `kill` ends the whole tree. Never throws, also when nothing runs. */
  signal(signal: TransportSignal): void;
  /** Settles once the process is reaped; `output` may still hold unread bytes then. Never rejects. */
  readonly exited: Promise<ExitReport>;
  readonly pid: number | undefined;
  /** Lets the host exit although the CLI still runs. */
  unref?(): void;
  /** The CLI is about to leave: notes what it has started and must not outlive it. */
  ending?(): void;
  /** Closes the pipes, whoever reads them; resolves once they are closed. */
  destroy?(): Promise<void>;
}
