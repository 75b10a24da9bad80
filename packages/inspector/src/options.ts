import type { Session } from 'coxswain';
import type { AuditEntry } from './api.ts';
import type { PushOptions } from './push/pusher.ts';
import type { AuthHook } from './server/access.ts';
import { isLoopback } from './server/loopback.ts';
import type { Source } from './sources/source.ts';

/** Options of `inspect`. */
export interface InspectOptions {
  /** The port to listen on; 0, the default, chooses a free one. */
  readonly port?: number | undefined;
  /** The address to listen on; `127.0.0.1` by default. Another one needs `allowedHosts`, and `token` or `auth`. */
  readonly host?: string | undefined;
  /**
   * Additional host names under which browsers may reach the inspector, as in their `Host` header: `inspector.example.com`, with
   * the port unless it is the default of the scheme. Needed behind a reverse proxy.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The secret that gives access to the page, at least 16 characters. By default a random one, in the fragment of `url`. */
  readonly token?: string | undefined;
  /** Uses your program's login instead of the token: returns the user of a request, or nothing to refuse it. */
  readonly auth?: AuthHook | undefined;
  /** Shows everything and refuses every action. */
  readonly readOnly?: boolean | undefined;
  /** The path prefix, such as `/inspector`, behind a proxy that keeps it. Not needed if the proxy strips the prefix. */
  readonly basePath?: string | undefined;
  /** Values to redact, in addition to the secrets in the environment and in the defaults of an inspected client. */
  readonly secrets?: readonly string[] | undefined;
  /** Also shows the conversations that Claude Code has stored on this machine. */
  readonly disk?: boolean | DiskOptions | undefined;
  /** Cassettes of @coxswain/testkit to show, or folders with `.ndjson` cassettes. */
  readonly recordings?: readonly string[] | undefined;
  /** Your own sources. */
  readonly sources?: readonly Source[] | undefined;
  /** The name of this program in `cox ui`; by default the name of its file. */
  readonly name?: string | undefined;
  /**
   * Whether `cox ui` of the same user finds this inspector; `true` by default. Until it closes, its URL and a separate token are in
   * a file that only this user can read.
   */
  readonly announce?: boolean | undefined;
  /** Also lists the other programs of this user with an open inspector, as `cox ui` does. */
  readonly programs?: boolean | undefined;
  /** Sends notifications of requests to browsers whose page is closed. Needs the package `web-push`, and HTTPS. */
  readonly push?: PushOptions | undefined;
  /** Called with every action from the page. */
  readonly onAudit?: ((entry: AuditEntry) => void) | undefined;
  /** Called with unexpected errors of the server, such as those of `auth`. Exceptions it throws are ignored. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Marks the page as a demonstration. */
  readonly demo?: boolean | undefined;
}

/** Which conversations on disk are shown. */
export interface DiskOptions {
  /** Only the conversations of this folder; all by default. */
  readonly cwd?: string | undefined;
  /** The CLI's configuration directory; by default `CLAUDE_CONFIG_DIR`, or else `~/.claude`. */
  readonly configDir?: string | undefined;
  /** Number of conversations shown, newest first; 500 by default. */
  readonly limit?: number | undefined;
  /** How the page resumes a conversation. By default, with `openSession`, and permission requests appear on the page. */
  readonly open?: DiskOpener | undefined;
}

/** Opens a session that resumes a conversation, or a copy of it. */
export type DiskOpener = (options: {
  readonly resume: string;
  readonly forkSession: boolean;
  readonly cwd: string | undefined;
  readonly configDir: string | undefined;
}) => Session;

/** Whether only browsers of this machine, as its user, can reach the inspector. */
export function isLocalOnly({ host = '127.0.0.1', allowedHosts = [], auth }: InspectOptions): boolean {
  return isLoopback(host) && allowedHosts.length === 0 && auth === undefined;
}
