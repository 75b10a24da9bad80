import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentJob } from '../agent/define-agent.ts';
import { WorkspaceError } from '../errors.ts';
import { folderName } from './branch-name.ts';
import { excessFolders, type FolderState, parseState, stateText } from './sticky-state.ts';
import { privateFolder } from './worker-folder.ts';

type Owner = Pick<AgentJob, 'key' | 'epoch' | 'previousEpoch' | 'previousPlace'>;

interface StickyTerms {
  readonly directory: string;
  readonly maxFolders: number;
  readonly maxAgeMs: number;
}

/**
 * The folders of conversations on one disk. Each has its state beside the files of the agent. Several workers may share them: the
 * database decides which one has a conversation.
 */
export class StickyFolders {
  readonly #terms: StickyTerms;
  /** Identifies this process in the states that it writes. */
  readonly #process: string = randomUUID();
  #place: Promise<string> | undefined;
  #cleaning: Promise<void> | undefined;
  #mustClean = false;
  #cleanedAt = Number.NEGATIVE_INFINITY;

  constructor(terms: StickyTerms) {
    this.#terms = terms;
  }

  /** The name of this disk, which is stored on it. @throws WorkspaceError */
  place(): Promise<string> {
    this.#place ??= this.#readPlace();
    return this.#place;
  }

  /** The folder of a conversation for a turn; an empty one if there is none with all its files. @throws WorkspaceError */
  async take(job: Owner): Promise<{ readonly cwd: string; readonly isFresh: boolean }> {
    const place = await this.place();
    const folder = this.#folderOf(job);
    const state = await readState(folder);
    const isHere = job.previousPlace === place && state !== undefined && state.epoch <= job.previousEpoch;
    // If a turn did not end in order, processes that it started may still work in the folder, unless it ran in this process.
    if (isHere && (state.saved || state.process === this.#process) && (await this.#mark(folder, job, false)))
      return { cwd: filesOf(folder), isFresh: false };
    await this.#remove(folder);
    await mkdir(filesOf(folder), { recursive: true, mode: 0o700 });
    if (!(await this.#mark(folder, job, false)))
      throw new WorkspaceError(`The folder ${folder} was removed while it was created.`);
    this.#clean(0);
    return { cwd: filesOf(folder), isFresh: true };
  }

  /** The turn has ended in order: the files belong to the next one, in whatever process. @throws WorkspaceError */
  async keep(job: Owner): Promise<void> {
    if (!(await this.#mark(this.#folderOf(job), job, true)))
      throw new WorkspaceError('The folder of the conversation is gone.');
    this.#clean(CLEAN_MS);
  }

  #folderOf({ key }: Pick<Owner, 'key'>): string {
    return join(this.#terms.directory, `${PREFIX}${folderName(key)}`);
  }

  async #readPlace(): Promise<string> {
    const { directory } = this.#terms;
    await privateFolder(directory);
    const file = join(directory, 'place');
    // Of several workers that start together, the first one names the place.
    await writeFile(file, randomUUID(), { flag: 'wx', mode: 0o600 }).catch(() => {});
    const text = await readFile(file, 'utf8').catch(() => '');
    if (/^[0-9a-f-]{36}$/.test(text)) return text;
    throw new WorkspaceError(`The file ${file} cannot be read or written, or was changed. Remove it.`);
  }

  /** Writes the state; false if the folder is gone. A cleanup that has just moved it sees the change and moves it back. */
  async #mark(folder: string, { key, epoch }: Owner, saved: boolean): Promise<boolean> {
    const text = stateText({ key, epoch, saved, process: this.#process, usedAt: Date.now() });
    const temporary = join(folder, `state-${this.#process}`);
    try {
      await writeFile(temporary, text, { mode: 0o600 });
      await rename(temporary, join(folder, STATE));
      return (await lstat(filesOf(folder))).isDirectory();
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
      throw error;
    }
  }

  /** Removes what exceeds the limits, unless that was done within `ms`; one run at a time, and beside the turns. */
  #clean(ms: number): void {
    const now = performance.now();
    if (now - this.#cleanedAt < ms) return;
    this.#cleanedAt = now;
    this.#mustClean = true;
    this.#cleaning ??= this.#cleanWhileNeeded().finally(() => {
      this.#cleaning = undefined;
    });
  }

  async #cleanWhileNeeded(): Promise<void> {
    while (this.#mustClean) {
      this.#mustClean = false;
      await this.#removeExcess().catch(() => {}); // The next one tries again.
    }
  }

  async #removeExcess(): Promise<void> {
    const { directory } = this.#terms;
    const all = await readdir(directory);
    // A process has died while it removed them.
    for (const name of all.filter((one) => one.startsWith(REMOVED)))
      await rm(join(directory, name), { recursive: true, force: true });
    const names = all.filter((name) => name.startsWith(PREFIX));
    const found: { readonly folder: string; readonly state: FolderState }[] = [];
    for (const name of names) {
      const folder = join(directory, name);
      const state = await readState(folder);
      if (state) found.push({ folder, state });
    }
    for (const { folder, state } of excessFolders(found, this.#terms, Date.now())) await this.#remove(folder, state);
  }

  /** Removes a folder, if its state is still the given one. */
  async #remove(folder: string, state?: FolderState): Promise<void> {
    const trash = join(this.#terms.directory, `${REMOVED}${randomUUID()}`);
    const isMoved = await rename(folder, trash).then(
      () => true,
      () => false, // There is none.
    );
    if (!isMoved) return;
    const now = state && (await readState(trash));
    if (state && now && stateText(now) !== stateText(state)) return rename(trash, folder).catch(() => {});
    // Not awaited: a large folder takes a while.
    rm(trash, { recursive: true, force: true }).catch(() => {});
  }
}

/** Before the names of conversations, so that none of them is the name of another file. */
const PREFIX = 'c-';
const REMOVED = 'removed-';

/** How often turns that end begin a cleanup. */
const CLEAN_MS = 60_000;

const STATE = 'state.json';

/** The agent's working directory. The state is beside it, out of reach of an agent that is isolated. */
const filesOf = (folder: string): string => join(folder, 'files');

async function readState(folder: string): Promise<FolderState | undefined> {
  const text = await readFile(join(folder, STATE), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parseState(text);
}
