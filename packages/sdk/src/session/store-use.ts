import { configFolder } from '../cli/config-folder.ts';
import { SessionNotFoundError } from '../errors/transcript.ts';
import type { Launch } from '../launch/launch.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { Place, StoredConversation } from '../store/stored-conversation.ts';
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
  session.stored = new StoredConversation({
    store,
    projectKey: options.storeProject ?? DEFAULT_PROJECT,
    terms: limits,
    warn: (warned) => session.warn(warned),
  });
  const { resume, storeOnly } = options;
  if (resume === undefined && !storeOnly) return launch;
  const { variables } = environment;
  const place = { env: variables, cwd: options.cwd || process.cwd() };
  const configDir =
    resume === undefined
      ? await session.stored.begin(place)
      : await restored(session.stored, resume, place, { store, project: options.storeProject });
  const { request, ...others } = await launch;
  if (configDir === undefined) return { request, ...others };
  return { ...others, request: { ...request, env: { ...request.env, CLAUDE_CONFIG_DIR: configDir } } };
}

/** The configuration directory with the conversation. One that only this machine's disk has is imported first. */
async function restored(
  stored: StoredConversation,
  id: string,
  place: Place,
  target: { readonly store: SessionStore; readonly project: string | undefined },
): Promise<string | undefined> {
  const found = await stored.restore(id, place);
  if (found !== undefined) return found;
  const { importSession } = await import('../transcripts/transfer.ts');
  try {
    await importSession(id, { ...target, configDir: configFolder(place.env) });
  } catch (error) {
    // The CLI itself reports a conversation that is nowhere.
    if (error instanceof SessionNotFoundError) return undefined;
    throw error;
  }
  return stored.restore(id, place);
}

/** Stores what came after the last result, and removes the private directory. */
export async function storeTheRest(session: LiveSession, stored: StoredConversation): Promise<void> {
  const failure = await stored.end();
  if (!failure) return;
  const { sessionId } = failure;
  const entries = stored.pending === 1 ? '1 entry' : `${stored.pending} entries`;
  const message = `The session ended before ${entries} of the conversation ${sessionId} could be stored: ${failure.message}`;
  session.warn(warning('store-failed', message, { sessionId, entries: stored.pending }));
}
