import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ParkedRequest, PermissionAnswer, ResumedRequest } from 'coxswain';

/** Parked requests and their answers by hash, in a folder. It stands in for a table of your database. */
export class ApprovalFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async add(parked: ParkedRequest): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await this.#create(`${parked.hash}.request`, parked);
  }

  /** The first answer counts. */
  async answer({ hash }: ParkedRequest, answer: PermissionAnswer): Promise<boolean> {
    return this.#create(`${hash}.answer`, answer);
  }

  /** What was asked, and the answer if there is one. */
  async find(hash: string): Promise<ResumedRequest | undefined> {
    const parked = await this.#read(`${hash}.request`);
    return parked && { ...parked, answer: await this.#read(`${hash}.answer`) };
  }

  async all(): Promise<ResumedRequest[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const hashes = names.filter((name) => name.endsWith('.request')).map((name) => name.slice(0, 64));
    return (await Promise.all(hashes.map((hash) => this.find(hash)))).filter((parked) => parked !== undefined);
  }

  async remove({ hash }: ParkedRequest): Promise<void> {
    for (const kind of ['request', 'answer']) await rm(join(this.#folder, `${hash}.${kind}`), { force: true });
  }

  /** Writes a whole file or none; false if there is one. */
  async #create(name: string, content: object): Promise<boolean> {
    const draft = join(this.#folder, `draft-${crypto.randomUUID()}`);
    await writeFile(draft, JSON.stringify(content), { mode: 0o600 });
    try {
      await link(draft, join(this.#folder, name));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(draft);
    }
  }

  async #read(name: string) {
    const text = await readFile(join(this.#folder, name), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : JSON.parse(text);
  }
}
