import { tmpdir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Workspace } from '../agent/define-agent.ts';
import { FleetInputError } from '../errors.ts';
import { checkedOptions, checkedWait } from '../fleet/input.ts';
import { StickyFolders } from './sticky-folders.ts';

/** Where the files of conversations stay. */
export interface StickyWorkspaceOptions {
  /**
   * The folder below which each conversation has one; by default one of this user below the system's temporary folder. Workers that share it,
   * and one that starts after another has ended, share the files.
   */
  readonly directory?: string | undefined;
  /** How many conversations keep their files; 100 by default. Then those go first whose last turns are the longest ago. */
  readonly maxFolders?: number | undefined;
  /** For how long files are kept after the last turn; 7 days by default. */
  readonly maxAgeMs?: number | undefined;
}

/**
 * A workspace on the disk of a worker: each conversation has a folder, and its turns go to the workers that have it while one of them
 * lives. When there is none, or the folder was removed, the next turn begins in an empty one, and the agent and followers are notified.
 * Nothing is copied, so use it for files that can be made again, such as checkouts and caches.
 * @throws FleetInputError
 */
export function stickyWorkspace(options: StickyWorkspaceOptions = {}): Workspace {
  const folders = new StickyFolders(checked(options));
  return {
    place: () => folders.place(),
    async prepare(job) {
      const { cwd, isFresh } = await folders.take(job);
      return isFresh && job.previousPlace !== null ? { cwd, notice: FILES_GONE } : { cwd };
    },
    save: (job) => folders.keep(job),
  };
}

const FILES_GONE =
  '[Note from the system: the working directory is empty now. Files that earlier turns of this conversation left there are gone, ' +
  'because the machine that had them no longer runs this conversation, or has removed them. Make again what you need.]';

const OPTIONS: Readonly<Record<keyof StickyWorkspaceOptions, true>> = {
  directory: true,
  maxFolders: true,
  maxAgeMs: true,
};

function checked(options: StickyWorkspaceOptions): {
  readonly directory: string;
  readonly maxFolders: number;
  readonly maxAgeMs: number;
} {
  const { maxFolders = 100, maxAgeMs = 7 * 24 * 3_600_000, ...more } = checkedOptions(options, OPTIONS);
  const { directory = join(tmpdir(), `coxswain-sticky-${userInfo().uid}`) } = more;
  if (typeof directory !== 'string' || !isAbsolute(directory))
    throw new FleetInputError('directory', 'must be an absolute path.');
  if (!(Number.isSafeInteger(maxFolders) && maxFolders >= 1))
    throw new FleetInputError('maxFolders', 'must be a number of conversations, at least 1.');
  checkedWait('maxAgeMs', maxAgeMs);
  return { directory, maxFolders, maxAgeMs };
}
