import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const LONGEST_MS = 10 * 60_000;

/** The log of a rehearsal: every step with its time, and the output of its commands. */
export class Journal {
  #file;
  /** @type {{ name: string, ok: boolean }[]} */
  #steps = [];
  #start = performance.now();

  /** @param {string} file */
  constructor(file) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
  }

  /**
   * Runs a step. One that fails is reported at the end; the steps after it still run.
   * @param {string} name
   * @param {() => unknown} run
   */
  async step(name, run) {
    const start = performance.now();
    this.#write(`\n== ${name}`);
    let failure;
    try {
      await run();
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
    }
    const seconds = ((performance.now() - start) / 1000).toFixed(1).padStart(6);
    const line = `${failure === undefined ? 'ok    ' : 'FAILED'} ${seconds} s  ${name}`;
    this.#steps.push({ name, ok: failure === undefined });
    this.#write(failure === undefined ? line : `${line}\n${failure}`);
    console.log(failure === undefined ? line : `${line}: ${failure.split('\n')[0]}`);
  }

  /**
   * Runs a command; its output goes to the log.
   * @param {readonly string[]} command
   * @param {{ cwd: string, env: NodeJS.ProcessEnv }} where
   * @returns {Promise<string>} Its stdout.
   */
  command([file = '', ...args], { cwd, env }) {
    this.#write(`$ ${file} ${args.join(' ')}`);
    return new Promise((resolve, reject) => {
      const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: LONGEST_MS });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text) => {
        output += text;
        this.#append(text);
      });
      child.stderr.setEncoding('utf8').on('data', (text) => this.#append(text));
      for (const stream of [child.stdout, child.stderr]) stream.once('error', reject);
      child.once('error', reject);
      child.once('close', (code, signal) => {
        if (code === 0) resolve(output);
        else reject(new Error(`${args.join(' ')} ended with ${signal ?? code}`));
      });
    });
  }

  /** Writes the summary; true if every step passed. */
  finish() {
    const failed = this.#steps.filter(({ ok }) => !ok).length;
    const seconds = Math.round((performance.now() - this.#start) / 1000);
    const line = `${this.#steps.length} steps, ${failed} failed, ${seconds} s; the log is ${this.#file}`;
    this.#write(`\n${line}`);
    console.log(line);
    return failed === 0;
  }

  /** @param {string} line */
  #write(line) {
    this.#append(`${line}\n`);
  }

  /** @param {string} text */
  #append(text) {
    appendFileSync(this.#file, text);
  }
}
