import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SessionFileError } from '../errors/transcript.ts';
import { entriesOf, findSession, type SessionFile, type SessionPlace } from './place.ts';

/** Folders of the configuration directory in which a session has a folder named by its id. */
const PER_SESSION = ['file-history', 'session-env', 'tasks'];

/**
 * Removes a session and all that the CLI keeps for it alone. A link is removed, never followed.
 * @throws SessionNotFoundError, SessionFileError
 */
export async function remove(id: string, place: SessionPlace): Promise<void> {
  const file = await findSession(id, place);
  for (const path of await companionsOf(file)) await removeAt(path);
  // Last, so that what fails half-way can be found and tried again.
  await removeAt(file.path);
}

async function companionsOf({ id, folder, configDir }: SessionFile): Promise<string[]> {
  const todos = join(configDir, 'todos');
  const ofSession = (await entriesOf(todos)).filter(({ name }) => name === `${id}.json` || name.startsWith(`${id}-`));
  return [
    folder,
    ...PER_SESSION.map((name) => join(configDir, name, id)),
    join(configDir, 'debug', `${id}.txt`),
    ...ofSession.map(({ name }) => join(todos, name)),
  ];
}

async function removeAt(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    throw new SessionFileError('Removing', path, error);
  }
}
