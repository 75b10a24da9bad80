import { isObject } from '@coxswain/shared/is-object';

/** What is known about the folder of a conversation. */
export interface FolderState {
  readonly key: string;
  /** The claim that last used it. */
  readonly epoch: number;
  /** True if that turn has ended in order. */
  readonly saved: boolean;
  /** The process that last used it. */
  readonly process: string;
  /** In ms since the epoch. */
  readonly usedAt: number;
}

export function stateText({ key, epoch, saved, process, usedAt }: FolderState): string {
  return JSON.stringify({ key, epoch, saved, process, usedAt });
}

/** The state; undefined if the file was changed. */
export function parseState(text: string): FolderState | undefined {
  const value = parsed(text);
  if (!isObject(value)) return undefined;
  const { key, epoch, saved, process, usedAt } = value;
  if (typeof key !== 'string' || typeof process !== 'string' || typeof saved !== 'boolean') return undefined;
  return typeof epoch === 'number' && typeof usedAt === 'number' ? { key, epoch, saved, process, usedAt } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Longer than a turn may take: a folder that no turn has released by then belongs to a process that died. */
const ABANDONED_MS = 24 * 3_600_000;

/** The folders to remove: those of turns that ended too long ago, and the oldest ones above the limit. Folders of running turns stay. */
export function excessFolders<F extends { readonly state: FolderState }>(
  folders: readonly F[],
  { maxFolders, maxAgeMs }: { readonly maxFolders: number; readonly maxAgeMs: number },
  now: number,
): readonly F[] {
  const newestFirst = [...folders].sort((a, b) => b.state.usedAt - a.state.usedAt);
  const ageMs = ({ state }: F): number => now - state.usedAt;
  const idle = newestFirst.filter(({ state }) => state.saved);
  const inUse = newestFirst.filter(({ state }) => !state.saved);
  return [
    ...idle.filter((folder, index) => index >= maxFolders || ageMs(folder) > maxAgeMs),
    ...inUse.filter((folder) => ageMs(folder) > Math.max(ABANDONED_MS, maxAgeMs)),
  ];
}
