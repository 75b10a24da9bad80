import { closeSync } from 'node:fs';
import type { RunEntry } from './interpreter/effects.ts';
import type { RunLog } from './run-log.ts';
import type { Surroundings } from './shell.ts';

/** This very process: its streams, its exit code, its death. */
export class OwnProcess implements Surroundings {
  readonly #log: RunLog;
  stdoutClosed = false;

  constructor(log: RunLog) {
    this.#log = log;
    // Whoever stops reading must not bring the process down: the real CLI lives on, too.
    process.stdout.on('error', () => {
      this.stdoutClosed = true;
    });
    process.stderr.on('error', () => {});
    // Keeps the process alive until it is told to leave, whatever becomes of stdin.
    setInterval(() => {}, 1 << 30);
  }

  write(data: string | Uint8Array): Promise<void> | undefined {
    if (this.stdoutClosed || process.stdout.write(data)) return undefined;
    return new Promise((resolve) => {
      const done = (): void => {
        process.stdout.off('drain', done).off('error', done);
        resolve();
      };
      process.stdout.on('drain', done).on('error', done);
    });
  }

  stderr(text: string): void {
    process.stderr.write(text);
  }

  flushed(): Promise<void> {
    if (this.stdoutClosed) return Promise.resolve();
    return new Promise((resolve) => {
      process.stdout.once('error', () => resolve());
      process.stdout.write('', () => resolve());
    });
  }

  closeStdout(): void {
    this.stdoutClosed = true;
    closeSync(1);
  }

  /** A process in a session of its own that inherits stdout and stderr, as a tool's background job does. */
  async holdPipe(ms: number): Promise<void> {
    const { spawn } = await import('node:child_process');
    const child = spawn('sleep', [String(ms / 1000)], { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
    await new Promise((resolve) => child.once('spawn', resolve).once('error', resolve));
    child.unref();
  }

  record(entry: RunEntry): void {
    this.#log.add(entry);
  }

  exit(code: number): void {
    this.#log.add({ kind: 'exit', code, signal: null });
    process.exit(code);
  }

  crash(signal: string): void {
    this.#log.add({ kind: 'exit', code: null, signal });
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
}
