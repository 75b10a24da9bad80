import type { Session } from 'coxswain';
import type { AuditEntry } from './api.ts';
import type { AuthHook } from './server/access.ts';
import { isLoopback } from './server/loopback.ts';
import type { Source } from './sources/source.ts';

/** How an inspector is opened. */
export interface InspectOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number | undefined;
  /** The address to listen on: 127.0.0.1. Another one needs `allowedHosts`, and `token` or `auth`. */
  readonly host?: string | undefined;
  /**
   * Further names under which browsers may reach the inspector, as in their `Host` header: `inspector.example.com`, or with
   * a port that is not the usual one. Needed behind a reverse proxy.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The secret that gives access to the page, at least 16 characters. A random one by default, in the fragment of `url`. */
  readonly token?: string | undefined;
  /** Uses the login of your own program instead of the token: returns the user of a request, or nothing to refuse it. */
  readonly auth?: AuthHook | undefined;
  /** Shows everything and refuses every action. */
  readonly readOnly?: boolean | undefined;
  /** The path prefix, such as `/inspector`, behind a proxy that keeps it. A proxy that strips the prefix needs none. */
  readonly basePath?: string | undefined;
  /** Values that must never be shown, besides the secrets in the environment and in the defaults of an inspected client. */
  readonly secrets?: readonly string[] | undefined;
  /** Also shows the conversations that Claude Code has kept on this machine. */
  readonly disk?: boolean | DiskOptions | undefined;
  /** Cassettes of @coxswain/testkit to show, or folders with `.ndjson` cassettes. */
  readonly recordings?: readonly string[] | undefined;
  /** Your own sources. */
  readonly sources?: readonly Source[] | undefined;
  /** What `cox ui` calls this program; by default the name of its file. */
  readonly name?: string | undefined;
  /**
   * Whether `cox ui` of the same user finds this inspector; `true` by default. Its address and a token of its own are in a file
   * that only this user can read, until it closes.
   */
  readonly announce?: boolean | undefined;
  /** Also lists the other programs of this user that have an inspector open; `cox ui` does. */
  readonly programs?: boolean | undefined;
  /** Called with every action from the page. */
  readonly onAudit?: ((entry: AuditEntry) => void) | undefined;
  /** Called with unexpected errors of the server, such as those of `auth`; exceptions it throws are ignored. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Marks the page as a demonstration. */
  readonly demo?: boolean | undefined;
}

/** Which conversations on disk are shown. */
export interface DiskOptions {
  /** Only those of this folder; all by default. */
  readonly cwd?: string | undefined;
  /** The CLI's configuration directory; default is `CLAUDE_CONFIG_DIR`, or else `~/.claude`. */
  readonly configDir?: string | undefined;
  /** How many of the newest; 500 by default. */
  readonly limit?: number | undefined;
  /** How the page resumes one of them; without it, `openSession` is used, and permission requests appear on the page. */
  readonly open?: DiskOpener | undefined;
}

/** Opens a session that resumes a conversation, or a copy of it. */
export type DiskOpener = (options: {
  readonly resume: string;
  readonly forkSession: boolean;
  readonly cwd: string | undefined;
  readonly configDir: string | undefined;
}) => Session;

/** Whether only browsers of this machine can reach it, as its user. */
export function isOfThisMachine({ host = '127.0.0.1', allowedHosts = [], auth }: InspectOptions): boolean {
  return isLoopback(host) && allowedHosts.length === 0 && auth === undefined;
}
