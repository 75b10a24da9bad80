/** The folders of the CLI's files of one conversation. */
export interface ConversationFolders {
  readonly configDir: string;
  /** The folder of the working directory, with all its transcripts. */
  readonly project: string;
  readonly sessionId: string;
}

/** A transcript reported by `--session-mirror`. */
export interface MirroredFile extends ConversationFolders {
  /** The path of the transcript within the conversation, with `/` on every system; undefined for the main transcript. */
  readonly subpath: string | undefined;
}

const TRANSCRIPT =
  /^((.*)[\\/]projects[\\/][^\\/]+)[\\/]([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:[\\/](.+))?\.jsonl$/i;

/** Parses the path of a transcript; undefined for any other path. */
export function mirroredFile(path: string): MirroredFile | undefined {
  const [, project, configDir, sessionId, rest] = TRANSCRIPT.exec(path) ?? [];
  if (project === undefined || configDir === undefined || sessionId === undefined) return undefined;
  return { configDir, project, sessionId, subpath: rest?.replaceAll('\\', '/') };
}

/** True for a name from a store that can safely become part of a path. */
export function isSafeName(name: string): boolean {
  return /^[\w@.~+=-]+(?:\/[\w@.~+=-]+)*$/.test(name) && name.split('/').every((part) => !/^\.+$/.test(part));
}
