import { configFolder } from '../cli/folders.ts';
import type { Ending } from '../connection/ending.ts';
import { SessionNotFoundError } from '../errors/transcript.ts';
import type { Launch } from '../launch/launch.ts';
import { workingDirectory } from '../launch/working-directory.ts';
import { isolationIn } from '../options/isolate.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { StoredConversation } from '../store/stored-conversation.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import type { Parking } from './parking.ts';
import type { SessionPlan } from './plan.ts';

/** The parts of a session that a conversation in a store uses. */
export interface StoreHost {
  readonly plan: SessionPlan;
  readonly connection: { readonly ending: Pick<Ending, 'begun' | 'stopped'> };
  stored: StoredConversation | undefined;
  readonly parking: Parking;
  warn(warning: Warning): void;
}

/** The launch of a CLI whose conversation is in a store. @throws StoreFailedError, and the start errors of `launch` */
export async function launchFromStore(host: StoreHost, store: SessionStore, launch: Promise<Launch>): Promise<Launch> {
  // Both are under way; the first failure counts.
  launch.catch(() => {});
  const { options, environment, limits } = host.plan.run;
  const { DEFAULT_PROJECT, StoredConversation } = await import('../store/stored-conversation.ts');
  // From here on the end of the session ends `stored` with all its operations.
  const { ending } = host.connection;
  if (ending.begun) throw ending.stopped('The conversation was not restored');
  const { variables } = environment;
  const isolated = isolationIn(options) !== undefined;
  host.stored = new StoredConversation({
    store,
    sessionId: host.plan.sessionId,
    // Without an isolation, a wrapper in the place of the CLI may use another one.
    configDir: isolated ? configFolder(variables) : undefined,
    projectKey: options.storeProject ?? DEFAULT_PROJECT,
    limits,
    warn: (warned) => host.warn(warned),
  });
  host.stored.onEntries = (entries) => host.parking.noted(entries);
  const { resume, storeOnly } = options;
  if (resume === undefined && !storeOnly) return launch;
  // An isolated CLI may have changed a configuration directory that the options name.
  const noLinks = isolated && variables.CLAUDE_CONFIG_DIR !== undefined;
  const place = { env: variables, cwd: workingDirectory(host.plan.run) ?? process.cwd(), noLinks };
  const configDir =
    resume === undefined
      ? await host.stored.begin(place)
      : await host.stored.restore(resume, place, {
          bring: () => bring(host, resume, store),
          complete: (main, append) => host.parking.complete(main, append),
        });
  if (configDir === undefined) host.parking.requireConversation();
  const { request, ...others } = await launch;
  if (configDir === undefined) return { request, ...others };
  return { ...others, request: { ...request, env: { ...request.env, CLAUDE_CONFIG_DIR: configDir } } };
}

/** Imports a conversation that only this machine's disk has. */
async function bring(host: StoreHost, id: string, store: SessionStore): Promise<void> {
  const { importSession } = await import('../transcripts/transfer.ts');
  const { options, environment } = host.plan.run;
  if (host.connection.ending.begun) return;
  try {
    await importSession(id, { store, project: options.storeProject, configDir: configFolder(environment.variables) });
  } catch (error) {
    // The CLI itself reports a conversation that does not exist.
    if (!(error instanceof SessionNotFoundError)) throw error;
  }
}

/** Stores the entries after the last result, and removes the private directory. */
export async function storeTheRest(host: Pick<StoreHost, 'warn'>, stored: StoredConversation): Promise<void> {
  const failure = await stored.end();
  if (!failure) return;
  const { sessionId } = failure;
  const { pending } = stored;
  const entries = pending === 1 ? '1 entry' : `${pending} entries`;
  // If none wait, entries or files are permanently missing.
  const missing = pending === 0 ? 'all' : entries;
  const message = `The session ended before ${missing} of the conversation ${sessionId} could be stored: ${failure.message}`;
  host.warn(warning('store-failed', message, { sessionId, entries: pending }));
}
