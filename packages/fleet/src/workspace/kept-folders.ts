import { rm } from 'node:fs/promises';
import type { AgentJob } from '../agent/define-agent.ts';
import { WorkspaceError } from '../errors.ts';

/** The turn to which a folder belongs. */
type Owner = Pick<AgentJob, 'key' | 'epoch' | 'previousEpoch'>;

/**
 * The folders of turns that run, and of conversations whose next turn may come to this worker; the oldest first.
 */
export class KeptFolders<T extends { readonly folder: string }> {
  readonly #open = new Map<string, { readonly value: T; readonly epoch: number; readonly saved: boolean }>();
  readonly #keep: number;

  /** `keep`: how many folders remain between turns. */
  constructor(keep: number) {
    this.#keep = keep;
  }

  /**
   * Takes the folder of the last turn, if it was saved and no other worker has claimed the conversation since: then nobody else works in
   * it. Any other folder of the conversation is removed.
   */
  take({ key, previousEpoch }: Owner, fits: (value: T) => boolean = () => true): T | undefined {
    const last = this.#open.get(key);
    this.#open.delete(key);
    if (last === undefined) return undefined;
    if (last.saved && last.epoch === previousEpoch && fits(last.value)) return last.value;
    remove(last.value);
    return undefined;
  }

  /** The folder of a turn that runs. */
  begin({ key, epoch }: Owner, value: T): void {
    this.#open.set(key, { value, epoch, saved: false });
  }

  /** @throws WorkspaceError */
  of({ key, epoch }: Owner): T {
    const current = this.#open.get(key);
    if (current?.epoch !== epoch) throw new WorkspaceError('The files of this turn are not on this worker.');
    return current.value;
  }

  /** The files of a turn are saved: keeps its folder, and removes the oldest of the others. */
  keep({ key, epoch }: Owner, value: T): void {
    this.#open.delete(key);
    this.#open.set(key, { value, epoch, saved: true });
    const idle = [...this.#open].filter(([, { saved }]) => saved);
    for (const [other, old] of idle.slice(0, Math.max(0, idle.length - this.#keep))) {
      this.#open.delete(other);
      remove(old.value);
    }
  }
}

/** Not awaited: a large folder takes a while. What remains is removed with the folder of the process. */
function remove({ folder }: { readonly folder: string }): void {
  rm(folder, { recursive: true, force: true }).catch(() => {});
}
