import type { RequestOptions } from '../control/pending.ts';
import type { ProcessError } from '../errors/stream.ts';
import type { Limits } from '../limits.ts';
import type { SpawnFunction } from '../options/option-types.ts';
import type { SdkMcpServer } from '../options/sdk-server.ts';
import type { ExitReport, PrivateFile, Transport } from '../process/transport.ts';
import type { Warning } from '../warnings/warning.ts';
import type { JsonObject } from '../wire/kinds.ts';
import type { Message } from '../wire/messages.ts';

/** A frame of the CLI that is not part of the control protocol. */
export interface RawFrame {
  readonly message: Message;
  /** Its source line. */
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
  /** Adds an MCP server, or replaces the one with that name. Announce it to the CLI with `mcp_set_servers`. */
  addToolServer(name: string, server: SdkMcpServer): void;
  /** Removes an MCP server and closes it. */
  removeToolServer(name: string): Promise<void>;
  /** Ends the process and discards unread frames; resolves when it has exited. */
  close(): Promise<RawEnd>;
}

/** How a raw session is started. Nothing is added to these values, and nothing is validated. */
export interface RawSessionOptions {
  /** The CLI, after its interpreter if it is a script, and all its flags, including those that select stream-json. */
  readonly argv: readonly string[];
  /** The whole environment of the CLI; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  /** Content that the CLI reads from files, because other users could see it on the command line. */
  readonly privateFiles?: readonly PrivateFile[] | undefined;
  /** The fields of the `initialize` request. */
  readonly initialize?: Readonly<Record<string, unknown>> | undefined;
  /** MCP servers in this process, by name. The caller lists them in `initialize`. */
  readonly mcpServers?: Readonly<Record<string, SdkMcpServer>> | undefined;
  /**
   * Answers every request of the CLI except `mcp_message`. What it returns goes to the CLI unchanged: an object is the
   * answer, an exception becomes an error answer, `undefined` reports that the request is not supported, and after `null`
   * nothing is sent.
   */
  readonly onRequest?: ((request: RawRequest, context: RawRequestContext) => unknown) | undefined;
  /** `false`: answers may wait for a slow reader, so the CLI is paused for it as early as without `onRequest`. */
  readonly answersAtOnce?: boolean | undefined;
  /** Called with each frame, and the line it came in, when it arrives, before it can be read. Exceptions are ignored. */
  readonly onFrame?: ((frame: Message, rawJson: string) => void) | undefined;
  /** Called with each chunk of stderr as it arrives, not redacted. Exceptions are ignored. */
  readonly onStderr?: ((text: string) => void) | undefined;
  readonly onWarning?: ((warning: Warning) => void) | undefined;
  readonly spawn?: SpawnFunction | undefined;
  /** Connects to the CLI through this transport instead of a child process. */
  readonly transport?: Transport | undefined;
  /** `false` turns off the guard process that ends the CLI if the host is killed. */
  readonly orphanGuard?: boolean | undefined;
  readonly limits?: { readonly [K in keyof Limits]?: Limits[K] | undefined } | undefined;
}

/** A request of the CLI: `hook_callback`, `can_use_tool`, `elicitation`, … */
export type RawRequest = JsonObject & { readonly subtype: string };

export interface RawRequestContext {
  readonly id: string;
  /** Aborted when the CLI cancels the request, and when the session ends. */
  readonly signal: AbortSignal;
}
