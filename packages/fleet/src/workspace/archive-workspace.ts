import { tmpdir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Workspace } from '../agent/define-agent.ts';
import { FleetInputError, WorkspaceError } from '../errors.ts';
import { checkedNames, checkedOptions } from '../fleet/input.ts';
import { type ArchiveLimits, storeFiles, writeFiles } from './archive-files.ts';
import { type ArchiveStore, checkedTree } from './archive-store.ts';
import { folderName } from './branch-name.ts';
import { KeptFolders } from './kept-folders.ts';
import { WorkerFolder } from './worker-folder.ts';

/** Where the files of conversations are stored. */
export interface ArchiveWorkspaceOptions {
  /** `postgresArchive()`, `folderArchive()`, or your own. */
  readonly store: ArchiveStore;
  /** Names of files and folders that are not stored, wherever they are; `['node_modules']` by default. */
  readonly ignore?: readonly string[] | undefined;
  /** Maximum number of files and folders of a conversation; 20,000 by default. */
  readonly maxFiles?: number | undefined;
  /** Maximum size of the files of a conversation; 256 MiB by default. */
  readonly maxBytes?: number | undefined;
  /** The folder for the files of running turns; by default one of this user below the system's temporary folder. */
  readonly directory?: string | undefined;
  /** How many conversations keep their folder between turns on this worker; 10 by default. */
  readonly keep?: number | undefined;
}

/**
 * A workspace for agents without Git: the files of a conversation are stored after each turn, each content once, and written into an empty
 * folder on the worker of the next turn.
 * @throws FleetInputError
 */
export function archiveWorkspace(options: ArchiveWorkspaceOptions): Workspace {
  const { store, limits, directory, keep } = checked(options);
  const root = new WorkerFolder(directory);
  const folders = new KeptFolders<{ readonly folder: string }>(keep);
  return {
    async prepare(job) {
      const kept = folders.take(job);
      if (kept !== undefined) {
        folders.begin(job, kept);
        return { cwd: kept.folder };
      }
      const stored = await store.readTree(job.key);
      const folder = await root.pathOf(`${folderName(job.key)}-${job.epoch}`);
      folders.begin(job, { folder });
      await writeFiles(folder, stored === undefined ? { epoch: 0, files: [] } : checkedTree(stored), store);
      return { cwd: folder };
    },

    async save(job) {
      const { folder } = folders.of(job);
      const files = await storeFiles(folder, store, limits);
      if (!(await store.writeTree(job.key, { epoch: job.epoch, files })))
        throw new WorkspaceError('Another worker has saved files of this conversation since.');
      folders.keep(job, { folder });
    },
  };
}

const OPTIONS: Readonly<Record<keyof ArchiveWorkspaceOptions, true>> = {
  store: true,
  ignore: true,
  maxFiles: true,
  maxBytes: true,
  directory: true,
  keep: true,
};

const METHODS: readonly (keyof ArchiveStore)[] = ['missing', 'putBlob', 'getBlob', 'readTree', 'writeTree'];

function checked(options: ArchiveWorkspaceOptions): {
  readonly store: ArchiveStore;
  readonly limits: ArchiveLimits;
  readonly directory: string;
  readonly keep: number;
} {
  const { store, ignore = ['node_modules'], ...more } = checkedOptions(options, OPTIONS);
  const { maxFiles = 20_000, maxBytes = 256 * 1024 * 1024, keep = 10 } = more;
  const { directory = join(tmpdir(), `coxswain-files-${userInfo().uid}`) } = more;
  if (METHODS.some((name) => typeof store?.[name] !== 'function'))
    throw new FleetInputError(
      'store',
      'must be postgresArchive(), folderArchive(), or an object with the same functions.',
    );
  for (const [field, value] of Object.entries({ maxFiles, maxBytes, keep }))
    if (!(Number.isSafeInteger(value) && value >= 0)) throw new FleetInputError(field, 'must be a number, at least 0.');
  if (typeof directory !== 'string' || !isAbsolute(directory))
    throw new FleetInputError('directory', 'must be an absolute path.');
  return { store, limits: { ignore: new Set(checkedNames('ignore', ignore)), maxFiles, maxBytes }, directory, keep };
}
