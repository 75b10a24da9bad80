/** Works with the conversations that the CLI keeps on disk: list, read, rename, fork, tag, archive and delete. */
import { isCoxswainError, textOf } from 'coxswain';
import {
  archiveSession,
  deleteSession,
  forkSession,
  getSessionMessages,
  listSessions,
  renameSession,
  tagSession,
} from 'coxswain/transcripts';
import { sampleSessions } from './sample-sessions.ts';

await using sample = await sampleSessions();
const { configDir } = sample; // leave it out for the sessions of your own ~/.claude

// #region list
const sessions = await listSessions({ configDir, limit: 20 });
for (const { title, cwd, gitBranch } of sessions) console.log(`${title} (${cwd}, ${gitBranch})`);
// #endregion

const session = sessions.find(({ title }) => title.startsWith('Why'));
if (session === undefined) throw new Error('The sample has changed.');
const { id } = session;

// #region messages
const messages = await getSessionMessages(id, { configDir });
for (const message of messages) console.log(`${message.type}: ${textOf(message)}`);
// #endregion

// #region fork
await renameSession(id, 'The build', { configDir });
const upTo = messages[1]?.uuid; // after the first answer
const fork = await forkSession(id, { configDir, upTo });
console.log(fork.title); // to continue it: query('…', { resume: fork.id, cwd: fork.cwd })
// #endregion

// #region tag
await tagSession(id, 'ci', { configDir }); // null removes the tag
await archiveSession(fork.id, { configDir }); // unarchiveSession() removes the mark
for (const { title, tag, archived } of await listSessions({ configDir })) console.log(title, tag, archived);
// #endregion

// #region delete
await deleteSession(fork.id, { configDir });
try {
  await getSessionMessages(fork.id, { configDir });
} catch (error) {
  if (!isCoxswainError(error, 'session-not-found')) throw error;
  console.log('gone');
}
// #endregion
