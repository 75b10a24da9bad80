import { closeSync } from 'node:fs';
import type { OutputPipe } from './fault-data.ts';
import type { RunEntry } from './interpreter/effects.ts';
import type { RunLog } from './run-log.ts';
import type { Surroundings } from './shell.ts';

/** The current process: its streams, its exit code and its signals. */
export class OwnProcess implements Surroundings {
  readonly #log: RunLog | undefined;
  stdoutClosed = false;
  #stderrClosed = false;

  constructor(log: RunLog | undefined) {
    this.#log = log;
    // A stopped reader must not crash the process: the real CLI also survives it.
    process.stdout.on('error', () => {
      this.stdoutClosed = true;
    });
    process.stderr.on('error', () => {
      this.#stderrClosed = true;
    });
    // Keeps the process alive until its exit is requested, even if stdin ends.
    setInterval(() => {}, 1 << 30);
  }

  write(data: string | Uint8Array): Promise<void> | undefined {
    return this.stdoutClosed ? undefined : taken(process.stdout, data);
  }

  stderr(data: string | Uint8Array): Promise<void> | undefined {
    return this.#stderrClosed ? undefined : taken(process.stderr, data);
  }

  async flushed(): Promise<void> {
    await Promise.all([
      this.stdoutClosed ? undefined : flushed(process.stdout),
      this.#stderrClosed ? undefined : flushed(process.stderr),
    ]);
  }

  close(what: 'stdin' | OutputPipe): void {
    if (what === 'stdout') this.stdoutClosed = true;
    if (what === 'stderr') this.#stderrClosed = true;
    // Node keeps the descriptor of a destroyed stdin open.
    if (what === 'stdin') process.stdin.destroy();
    closeSync({ stdin: 0, stdout: 1, stderr: 2 }[what]);
  }

  stopReading(): void {
    process.stdin.removeAllListeners('data').pause();
  }

  /** Starts a detached process that inherits stdout and stderr, like a background job of a tool. */
  async holdPipe(ms: number): Promise<void> {
    const { spawn } = await import('node:child_process');
    const child = spawn('sleep', [String(ms / 1000)], { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
    await new Promise((resolve) => child.once('spawn', resolve).once('error', resolve));
    child.unref();
  }

  record(entry: RunEntry): void {
    this.#log?.add(entry);
  }

  exit(code: number): void {
    this.#log?.add({ kind: 'exit', code, signal: null });
    process.exit(code);
  }

  crash(signal: string): void {
    this.#log?.add({ kind: 'exit', code: null, signal });
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
}

function flushed(pipe: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    pipe.once('error', () => resolve());
    pipe.write('', () => resolve());
  });
}

/** Writes; returns a promise while the reader is behind. */
function taken(pipe: NodeJS.WriteStream, data: string | Uint8Array): Promise<void> | undefined {
  if (pipe.write(data)) return undefined;
  return new Promise((resolve) => {
    const done = (): void => {
      pipe.off('drain', done).off('error', done);
      resolve();
    };
    pipe.on('drain', done).on('error', done);
  });
}
