/** The header that every request carries, in lower case: the key, or `1` if the server has a login of its own. */
export interface KeyHeader {
  readonly 'x-coxswain-inspector': string;
}

/** The token comes from the URL's fragment: `#token=…`. The page removes it from the address bar. */
export interface LoginRequest {
  readonly token: string;
}

/** The key lets its holder in while the server has the same token. */
export interface LoginAnswer {
  readonly key: string;
}

/** What the page needs to know about its server. */
export interface ServerInfo {
  /** The release of @coxswain/inspector. */
  readonly version: string;
  /** No action is possible; every POST except the login answers 403 `read-only`. */
  readonly readOnly: boolean;
  /** The page shows scripted agents. */
  readonly demo: boolean;
  /** The name under which the answers of this browser are kept; `null` for the one user of this machine. */
  readonly user: string | null;
  readonly sources: readonly SourceInfo[];
  /** Whether there are queues (`api/queues`), recordings and so on, so that the page can hide empty views. */
  readonly has: Readonly<Record<'queues' | 'recordings' | 'stats' | 'programs', boolean>>;
  /** Where the event stream is now. */
  readonly cursor: Cursor;
}

/** Where conversations come from. */
export type SourceKind = 'process' | 'disk' | 'recording' | 'fleet';

/** One source of the server. */
export interface SourceInfo {
  readonly id: string;
  readonly kind: SourceKind;
  /** For people: `this process`, a folder, a file, a database without its password. */
  readonly label: string;
  /** What people must know about what it leaves out. */
  readonly note?: string;
}

/** The answer of api/programs. */
export interface ProgramsPage {
  readonly programs: readonly ProgramInfo[];
  /** Whether this page may open them: not if it is read-only, or can be reached from other machines. */
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

/** The answer of api/programs/:id/open: an address that lets this browser in. */
export interface OpenedProgram {
  readonly url: string;
}

/** A place in the event stream; opaque. Pass it as `after`, or let EventSource send it as `Last-Event-ID`. */
export type Cursor = string;
