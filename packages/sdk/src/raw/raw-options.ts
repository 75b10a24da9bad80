import type { Limits } from '../limits.ts';
import type { SpawnFunction } from '../options/option-types.ts';
import type { SdkMcpServer } from '../options/sdk-server.ts';
import type { PrivateFile, Transport } from '../process/transport.ts';
import type { Warning } from '../warnings/warning.ts';
import type { JsonObject } from '../wire/kinds.ts';
import type { Message } from '../wire/messages.ts';

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
   * answer, an exception becomes an error answer, `undefined` says that the request is not supported, and after `null`
   * nothing is sent.
   */
  readonly onRequest?: ((request: RawRequest, context: RawRequestContext) => unknown) | undefined;
  /** `false`: answers may wait for a slow reader, so the CLI is paused for it as early as without `onRequest`. */
  readonly answersAtOnce?: boolean | undefined;
  /** Called with each frame when it arrives, before it can be read. Exceptions are ignored. */
  readonly onFrame?: ((frame: Message) => void) | undefined;
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
