import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { SessionNotFoundError } from '../errors/transcript.ts';
import { lookAt, TITLE_FILE } from './look.ts';
import { findSession, projectFolders, type SessionPlace } from './place.ts';
import { appendLines, writeWhole } from './write-file.ts';

/** Gives a session a name, as the CLI itself does. @throws SessionNotFoundError, SessionFileError */
export async function renameTo(id: string, title: string, place: SessionPlace): Promise<void> {
  const file = await findSession(id, place);
  const look = lookAt(file);
  if (look === undefined) throw new SessionNotFoundError(id, await projectFolders(place));
  await appendLines(file.path, namingLinesOf(id, title, look.named));
  const beside = join(file.folder, TITLE_FILE);
  const found = file.hasFolder ? await lstat(beside).catch(() => undefined) : undefined;
  if (found?.isFile()) await writeWhole(beside, JSON.stringify({ customTitle: onOneLine(title) }));
}

/** The lines that name a session; 2.1.325 names its agent too. */
export function namingLinesOf(id: string, title: string, agentToo = false): string[] {
  const name = onOneLine(title);
  return [
    JSON.stringify({ type: 'custom-title', customTitle: name, sessionId: id }),
    ...(agentToo ? [JSON.stringify({ type: 'agent-name', agentName: name, sessionId: id })] : []),
  ];
}

function onOneLine(title: string): string {
  return title.replace(/\s+/g, ' ').trim();
}
