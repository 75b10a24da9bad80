import { configFolder } from '../cli/folders.ts';
import { SessionNotFoundError } from '../errors/transcript.ts';
import type { Launch } from '../launch/launch.ts';
import { workingDirectory } from '../launch/working-directory.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { StoredConversation } from '../store/stored-conversation.ts';
import { warning } from '../warnings/warning.ts';
import type { LiveSession } from './live.ts';

/** The launch of a CLI whose conversation is in a store. @throws StoreFailedError, and the start errors of `launch` */
export async function launchFromStore(
  session: LiveSession,
  store: SessionStore,
  launch: Promise<Launch>,
): Promise<Launch> {
  // Both are under way; the first failure counts.
  launch.catch(() => {});
  const { options, environment, limits } = session.plan.run;
  const { DEFAULT_PROJECT, StoredConversation } = await import('../store/stored-conversation.ts');
  // From here on the end of the session ends `stored`, and with it what it has under way.
  if (session.stopping) throw session.stoppedError('The conversation was not restored');
  session.stored = new StoredConversation({
    store,
    projectKey: options.storeProject ?? DEFAULT_PROJECT,
    limits,
    warn: (warned) => session.warn(warned),
  });
  const { resume, storeOnly } = options;
  if (resume === undefined && !storeOnly) return launch;
  const { variables } = environment;
  const place = { env: variables, cwd: workingDirectory(session.plan.run) ?? process.cwd() };
  const configDir =
    resume === undefined
      ? await session.stored.begin(place)
      : await session.stored.restore(resume, place, () => bring(session, resume, store));
  const { request, ...others } = await launch;
  if (configDir === undefined) return { request, ...others };
  return { ...others, request: { ...request, env: { ...request.env, CLAUDE_CONFIG_DIR: configDir } } };
}

/** Imports a conversation that only this machine's disk has. */
async function bring(session: LiveSession, id: string, store: SessionStore): Promise<void> {
  const { importSession } = await import('../transcripts/transfer.ts');
  const { options, environment } = session.plan.run;
  if (session.stopping) return;
  try {
    await importSession(id, { store, project: options.storeProject, configDir: configFolder(environment.variables) });
  } catch (error) {
    // The CLI itself reports a conversation that is nowhere.
    if (!(error instanceof SessionNotFoundError)) throw error;
  }
}

/** Stores what came after the last result, and removes the private directory. */
export async function storeTheRest(session: LiveSession, stored: StoredConversation): Promise<void> {
  const failure = await stored.end();
  if (!failure) return;
  const { sessionId } = failure;
  const { pending } = stored;
  const entries = pending === 1 ? '1 entry' : `${pending} entries`;
  // Without any that wait, entries or files are missing for good.
  const missing = pending === 0 ? 'all' : entries;
  const message = `The session ended before ${missing} of the conversation ${sessionId} could be stored: ${failure.message}`;
  session.warn(warning('store-failed', message, { sessionId, entries: pending }));
}
