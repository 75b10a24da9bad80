import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { inMemoryCli } from '../../src/scripted/in-memory.ts';
import type { Script } from '../../src/scripted/script.ts';
import { scriptedCli } from '../../src/scripted/scripted-cli.ts';

/** A running scripted CLI, seen as bytes: as a process or in memory. */
export interface RawRun {
  /** The output on stdout, read by read. */
  readonly chunks: Uint8Array[];
  stdout(): string;
  stderr(): string;
  write(frame: unknown): Promise<void>;
  end(text?: string): Promise<void>;
  signal(signal: 'interrupt' | 'terminate' | 'kill'): void;
  /** Waits until stdout, or stderr, contains this. */
  until(words: string, pipe?: 'stdout' | 'stderr'): Promise<void>;
  /** Resolves when the CLI has exited and its pipes are read to the end. */
  readonly closed: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/** Where a script can be played. */
export type Place = 'memory' | 'process';

export const oneShot: readonly string[] = ['--print', '--output-format', 'stream-json', '--verbose'];
export const session: readonly string[] = ['--input-format', 'stream-json', ...oneShot];

/** Starts a script. */
export async function start(place: Place, script: Script, argv: readonly string[]): Promise<RawRun> {
  return place === 'memory' ? startInMemory(script, argv) : startProcess(script, argv);
}

async function startInMemory(script: Script, argv: readonly string[]): Promise<RawRun> {
  const transport = inMemoryCli(script).transport();
  const output = new Reading();
  const errors = new Reading();
  const read = Promise.all([output.read(transport.output), errors.read(transport.errorOutput)]);
  await transport.start({ argv: ['claude', ...argv], env: {}, cwd: '/scripted', privateFiles: [] });
  onTestFinished(() => transport.signal('kill'));
  return {
    chunks: output.chunks,
    stdout: () => output.text(),
    stderr: () => errors.text(),
    write: (frame) => transport.write(`${JSON.stringify(frame)}\n`),
    async end(text) {
      if (text !== undefined) await transport.write(text);
      await transport.endInput();
    },
    signal: (signal) => transport.signal(signal),
    until: (words, pipe) => (pipe === 'stderr' ? errors : output).until(words),
    closed: Promise.all([transport.exited, read]).then(([{ exitCode, signal }]) => ({ code: exitCode, signal })),
  };
}

async function startProcess(script: Script, argv: readonly string[]): Promise<RawRun> {
  const cli = await scriptedCli(script);
  const child = spawn(cli.path, argv);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await cli[Symbol.asyncDispose]();
  });
  child.stdin.on('error', () => {});
  const output = new Reading();
  const errors = new Reading();
  const read = Promise.all([output.read(child.stdout), errors.read(child.stderr)]);
  const exited = once(child, 'exit');
  const write = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      child.stdin.write(text, (error) => (error ? reject(error) : resolve()));
    });
  return {
    chunks: output.chunks,
    stdout: () => output.text(),
    stderr: () => errors.text(),
    write: (frame) => write(`${JSON.stringify(frame)}\n`),
    async end(text) {
      child.stdin.end(text);
    },
    signal: (signal) => child.kill(({ interrupt: 'SIGINT', terminate: 'SIGTERM', kill: 'SIGKILL' } as const)[signal]),
    until: (words, pipe) => (pipe === 'stderr' ? errors : output).until(words),
    closed: Promise.all([exited, read]).then(([[code, signal]]) => ({ code, signal })),
  };
}

/** The output of a pipe so far. */
class Reading {
  readonly chunks: Uint8Array[] = [];
  #came: () => void = () => {};

  async read(pipe: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of pipe) {
      this.chunks.push(chunk);
      this.#came();
    }
  }

  text(): string {
    return Buffer.concat(this.chunks).toString();
  }

  async until(words: string): Promise<void> {
    while (!this.text().includes(words)) {
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`${words} was not written: ${this.text().slice(-500)}`)),
          10_000,
        );
        this.#came = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}
