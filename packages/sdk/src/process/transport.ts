/** How a process ended. */
export interface ExitReport {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** `by-itself`, or the strongest signal that was sent. */
  readonly ended: 'by-itself' | 'interrupted' | 'terminated' | 'killed';
  /** Set if the process could not be started, or its exit was not reported. */
  readonly error?: Error;
}

export const NEVER_STARTED: ExitReport = { exitCode: null, signal: null, ended: 'by-itself' };

/** Content that the CLI reads from a file, because other users could read it on the command line. */
export interface PrivateFile {
  /** The index of the argument that receives the file's path. */
  readonly argvIndex: number;
  readonly name: string;
  readonly content: string;
  /** True if the file needs a name until the CLI prints something, because the CLI resolves the path again after opening it. */
  readonly named?: boolean;
  /** True if the CLI may read the file again later: it has a name until the CLI has exited. */
  readonly reread?: boolean;
}

/** The process to start. */
export interface StartRequest {
  /** The interpreter if the CLI is a script, the CLI, and its arguments. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly privateFiles: readonly PrivateFile[];
}

/** The signals a transport can send to the CLI. */
export type TransportSignal = 'interrupt' | 'terminate' | 'kill';

/**
 * Connects the SDK to the CLI. The SDK calls `start` once and owns the transport from then on.
 * Output is pulled: while `output` is not read, the transport must limit its buffer.
 */
export interface Transport {
  /** Starts the CLI; resolves when it runs. @throws SpawnError */
  start(request: StartRequest): Promise<void>;
  /** The CLI's stdout; ends when the pipe does. Iterated once; ending the iteration early closes the pipe. */
  readonly output: AsyncIterable<Uint8Array>;
  /** The CLI's stderr, with the same rules as `output`. */
  readonly errorOutput: AsyncIterable<Uint8Array>;
  /** Writes a text; resolves when the pipe has accepted it. @throws TransportError */
  write(text: string): Promise<void>;
  /** Closes the CLI's stdin. */
  endInput(): Promise<void>;
  /** `interrupt` and `terminate` ask the CLI to stop; `kill` ends its whole process tree. Never throws, even if nothing runs. */
  signal(signal: TransportSignal): void;
  /** Resolves once the process is reaped; `output` may still have unread bytes. Never rejects. */
  readonly exited: Promise<ExitReport>;
  readonly pid: number | undefined;
  /** Lets the host exit although the CLI still runs. */
  unref?(): void;
  /** Called when the CLI is about to exit. Records its child processes, which must end with it. */
  ending?(): void;
  /** Closes the pipes, even while they are read; resolves once they are closed. */
  destroy?(): Promise<void>;
}
