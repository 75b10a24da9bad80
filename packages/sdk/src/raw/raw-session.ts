import type { RequestOptions } from '../control/pending.ts';
import type { ProcessError } from '../errors/stream.ts';
import type { ExitReport } from '../process/transport.ts';
import type { Message } from '../wire/messages.ts';
import { LiveRawSession } from './live-raw-session.ts';
import type { RawSessionOptions } from './raw-options.ts';

/** A frame of the CLI that is not part of the control protocol. */
export interface RawFrame {
  readonly message: Message;
  /** The line it came in. */
  readonly rawJson: string;
}

/** How a raw session ended. */
export interface RawEnd {
  readonly exit: ExitReport;
  /** Why the SDK ended it: it could not be started, did not answer the handshake, or could not be read. */
  readonly failure?: Error | undefined;
  /** A bad exit as an error, with what the CLI wrote to stderr and what to do about it; not after `close()`. */
  readonly exitFailure?: ProcessError | undefined;
  /** True when `close()` ended it. */
  readonly closed: boolean;
}

/**
 * One CLI process in stream-json mode, without turns: it yields every frame of the CLI in order, and sends the caller's
 * frames unchanged. The control protocol is the same as in a session.
 */
export interface RawSession extends AsyncIterable<RawFrame>, AsyncDisposable {
  readonly pid: number | undefined;
  /** Resolves once the process runs. @throws SpawnError */
  readonly started: Promise<void>;
  /**
   * The whole answer of the CLI to `initialize`.
   * @throws SpawnError, InitializationTimeoutError, InitializationError, SessionStoppedError, TransportError
   */
  readonly handshake: Promise<Readonly<Record<string, unknown>>>;
  /** Resolves when the process has exited and its pipes are closed; frames may still be unread. Never rejects. */
  readonly ended: Promise<RawEnd>;
  /** The end of the CLI's stderr, redacted. */
  readonly stderrTail: string;
  /** The names of the MCP servers in this process. */
  readonly toolServers: readonly string[];
  /**
   * The next frame, `undefined` after the last one. No frame is lost: the CLI is paused when the reader falls behind by
   * 1 MiB, or by `limits.backlogBytes` while no frame has been read or a callback may be called.
   */
  next(): Promise<RawFrame | undefined>;
  /**
   * Writes a frame as one line; resolves when the pipe has accepted it. @throws SpawnError, SessionStoppedError,
   * TransportError
   */
  send(frame: object): Promise<void>;
  /** Closes the CLI's stdin and keeps reading. Control requests and answers can no longer be sent. */
  endInput(): Promise<void>;
  /**
   * Sends a control request immediately. @throws ControlRequestError, ControlTimeoutError, AbortError,
   * SessionStoppedError, TransportError
   */
  request(subtype: string, payload?: object, options?: RequestOptions): Promise<unknown>;
  /** Adds an MCP server, or replaces the one with that name. Tell the CLI with `mcp_set_servers`. */
  addToolServer(name: string, server: NonNullable<RawSessionOptions['mcpServers']>[string]): void;
  /** Removes an MCP server and closes it. */
  removeToolServer(name: string): Promise<void>;
  /** Ends the process and discards unread frames; resolves when it has exited. */
  close(): Promise<RawEnd>;
}

/** Starts the CLI and sends `initialize` immediately. Never throws: `started`, `handshake` and `ended` say what failed. */
export function openRawSession(options: RawSessionOptions): RawSession {
  return new LiveRawSession(options);
}
