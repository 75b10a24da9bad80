/** Where the CLI keeps the files of one conversation. */
export interface ConversationFolders {
  readonly configDir: string;
  /** The folder of the working directory, with all its transcripts. */
  readonly project: string;
  readonly sessionId: string;
}

/** A transcript of the CLI that `--session-mirror` names. */
export interface MirroredFile extends ConversationFolders {
  /** The transcript within the conversation, with `/` on every system; undefined for the conversation itself. */
  readonly subpath: string | undefined;
}

const TRANSCRIPT =
  /^((.*)[\\/]projects[\\/][^\\/]+)[\\/]([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:[\\/](.+))?\.jsonl$/i;

/** What a path says about its transcript; undefined for a path that the CLI does not use for transcripts. */
export function mirroredFile(path: string): MirroredFile | undefined {
  const [, project, configDir, sessionId, rest] = TRANSCRIPT.exec(path) ?? [];
  if (project === undefined || configDir === undefined || sessionId === undefined) return undefined;
  return { configDir, project, sessionId, subpath: rest?.replaceAll('\\', '/') };
}

/** True for a name of a store that may become part of a path: it leads nowhere else. */
export function isSafeName(name: string): boolean {
  return /^[\w@.~+=-]+(?:\/[\w@.~+=-]+)*$/.test(name) && name.split('/').every((part) => !/^\.+$/.test(part));
}
