import { constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SessionNotFoundError } from '../errors/transcript.ts';
import { objectOn, textIn } from './entry.ts';
import { lookAt } from './look.ts';
import { entriesOf, findSession, isFolder, projectFolders, type SessionFile, type SessionPlace } from './place.ts';
import type { SessionDetails, SubagentInfo } from './session-info.ts';

/** Describes one session. @throws SessionNotFoundError, SessionFileError */
export async function details(id: string, place: SessionPlace): Promise<SessionDetails> {
  const file = await findSession(id, place);
  const look = lookAt(file);
  if (look === undefined) throw new SessionNotFoundError(id, await projectFolders(place));
  return { ...look.info, subagents: await subagentsOf(file) };
}

/** What is known of a subagent. */
export async function subagent(folder: string, id: string): Promise<SubagentInfo> {
  const flag = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);
  const text = await readFile(join(folder, `agent-${id}.meta.json`), { encoding: 'utf8', flag }).catch(() => '');
  const meta = objectOn(text);
  const type = textIn(meta, 'agentType');
  const description = textIn(meta, 'description');
  const toolUseId = textIn(meta, 'toolUseId');
  return {
    id,
    ...(type === undefined ? {} : { type }),
    ...(description === undefined ? {} : { description }),
    ...(toolUseId === undefined ? {} : { toolUseId }),
  };
}

/** Where the transcripts of a session's subagents lie; undefined if there are none. */
export async function subagentsFolder({ folder, hasFolder }: SessionFile): Promise<string | undefined> {
  const path = join(folder, 'subagents');
  return hasFolder && (await isFolder(path)) ? path : undefined;
}

async function subagentsOf(file: SessionFile): Promise<SubagentInfo[]> {
  const folder = await subagentsFolder(file);
  if (folder === undefined) return [];
  const ids = (await entriesOf(folder)).flatMap((entry) =>
    entry.isFile() ? (/^agent-([\w-]+)\.jsonl$/.exec(entry.name)?.[1] ?? []) : [],
  );
  return Promise.all(ids.sort().map((id) => subagent(folder, id)));
}
