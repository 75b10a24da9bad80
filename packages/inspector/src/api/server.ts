/** The header of every request, in lower case: the key, or `1` if the server uses its own login. */
export interface KeyHeader {
  readonly 'x-coxswain-inspector': string;
}

/** The token is the URL's fragment: `#token=…`. The page removes it from the address bar. */
export interface LoginRequest {
  readonly token: string;
}

/** The key is valid while the server has the same token. */
export interface LoginAnswer {
  readonly key: string;
}

/** Information about the server, for the page. */
export interface ServerInfo {
  /** The release of @coxswain/inspector. */
  readonly version: string;
  /** No action is possible; every POST except the login answers 403 `read-only`. */
  readonly readOnly: boolean;
  /** The page shows scripted agents. */
  readonly demo: boolean;
  /** The name recorded for answers from this browser; `null` for the single user of this machine. */
  readonly user: string | null;
  readonly sources: readonly SourceInfo[];
  /** Which views have content (`api/queues`, recordings, …), so that the page can hide the others. */
  readonly has: Readonly<Record<'queues' | 'recordings' | 'stats' | 'programs' | 'push', boolean>>;
  /** The current position of the event stream. */
  readonly cursor: Cursor;
}

/** Where conversations are read from. */
export type SourceKind = 'process' | 'disk' | 'recording' | 'fleet';

/** One source of the server. */
export interface SourceInfo {
  readonly id: string;
  readonly kind: SourceKind;
  /** Display name: `this process`, a folder, a file, a database without its password. */
  readonly label: string;
  /** What the source does not show, for people. */
  readonly note?: string;
}

/** The response of `api/programs`. */
export interface ProgramsPage {
  readonly programs: readonly ProgramInfo[];
  /** Whether this page may open them: false if it is read-only, or reachable from other machines. */
  readonly canOpen: boolean;
}

/** Another program of this user with an open inspector. */
export interface ProgramInfo {
  readonly id: string;
  readonly name: string;
  readonly pid: number;
  readonly cwd: string;
  readonly startedAt: number;
  readonly readOnly: boolean;
}

/** The response of `api/programs/:id/open`: a URL with which this browser is logged in. */
export interface OpenedProgram {
  readonly url: string;
}

/** An opaque position in the event stream. Pass it as `after`, or let EventSource send it as `Last-Event-ID`. */
export type Cursor = string;
