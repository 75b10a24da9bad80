import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The results of the steps between two releases, in files: a second call continues where the first one stopped. */
export class Journal {
  /** The folder of the results and logs. */
  folder;

  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /**
   * The result of a step, or `undefined` if it has not ended.
   * @param {string} step
   */
  read(step) {
    const file = this.#file(step);
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  }

  /**
   * @param {string} step
   * @param {unknown} result
   */
  write(step, result) {
    writeFileSync(this.#file(step), `${JSON.stringify(result, undefined, 2)}\n`);
  }

  /** @param {string} step */
  forget(step) {
    rmSync(this.#file(step), { force: true });
  }

  /** @param {string} step */
  #file(step) {
    return join(this.folder, `${step}.json`);
  }
}
