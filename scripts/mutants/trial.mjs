import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { mutate } from './sites.mjs';

/** @typedef {import('./sites.mjs').Mutation & { file: string }} Mutant */
/** @typedef {'folder' | 'all' | 'survived'} Outcome killed by the tests of its folder, by others, or not at all */

/** An endless loop is noticed, too. */
const LONGEST_MS = 300_000;

/** Runs the unit tests of a copy of the repository against one mutant after the other. */
export class Trial {
  /** @type {Map<string, Promise<boolean>>} */
  #sound = new Map();
  #root;

  /** @param {string} root the copy, whose files are changed */
  constructor(root) {
    this.#root = root;
  }

  /**
   * @param {Mutant} mutant
   * @returns {Promise<Outcome>}
   */
  async run(mutant) {
    const tests = testsOf(mutant.file, this.#root);
    const ofFolder = ['run', tests];
    const ofAll = ['related', '--run', mutant.file];
    await this.#checkSound(ofFolder);
    if (!(await this.#passes(ofFolder, mutant))) return 'folder';
    await this.#checkSound(ofAll);
    return (await this.#passes(ofAll, mutant)) ? 'survived' : 'all';
  }

  remove() {
    rmSync(this.#root, { recursive: true, force: true });
  }

  /**
   * Tests that fail without a mutant would kill every one.
   * @param {readonly string[]} args
   */
  async #checkSound(args) {
    const key = args.join(' ');
    const sound = this.#sound.get(key) ?? this.#vitest(args);
    this.#sound.set(key, sound);
    if (!(await sound)) throw new Error(`vitest ${key} fails without a mutant in ${this.#root}.`);
  }

  /** @param {readonly string[]} args @param {Mutant} mutant */
  async #passes(args, mutant) {
    const path = join(this.#root, mutant.file);
    const source = readFileSync(path, 'utf8');
    writeFileSync(path, mutate(source, mutant));
    try {
      return await this.#vitest(args);
    } finally {
      writeFileSync(path, source);
    }
  }

  /** @param {readonly string[]} args @returns {Promise<boolean>} whether all tests pass */
  #vitest([command = 'run', ...args]) {
    const options = ['--project=unit', '--project=unit-mocking', '--bail=1', '--reporter=dot', '--passWithNoTests'];
    const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', command, ...args, ...options], {
      cwd: this.#root,
      stdio: 'ignore',
      timeout: LONGEST_MS,
    });
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve(code === 0));
    });
  }
}

/**
 * The tests of the folder of a source file: packages/x/src/a/b.ts has packages/x/test/a.
 * @param {string} file
 * @param {string} root
 */
function testsOf(file, root) {
  const beside = file.replace('/src/', '/test/');
  const own = beside.replace(/\.ts$/, '.test.ts');
  if (existsSync(join(root, own)) && dirname(own).endsWith('/test')) return own;
  let folder = dirname(beside);
  while (!existsSync(join(root, folder))) folder = dirname(folder);
  return `${folder}/`;
}
