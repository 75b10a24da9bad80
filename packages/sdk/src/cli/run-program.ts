import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { reasonOf } from '../errors/base.ts';
import { atHostExit } from '../process/exit-hook.ts';
import { send } from '../process/tree.ts';

export interface RunOptions {
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** A helper program that has exited. */
export interface Finished {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How long to read output after the exit. */
const READ_ON_MS = 200;

/**
 * Runs a program until it exits, without a shell or stdin, and kills its process group after the timeout. Keeps the first
 * `keepBytes` of stdout and of stderr. Rejects with a message that follows the program's name: `did not exit within 5000 ms`.
 */
export function runProgram(command: readonly string[], options: RunOptions, keepBytes: number): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const { signal, timeoutMs } = options;
    if (signal?.aborted) throw new Error('was aborted');
    const child = start(command, options);
    const release = atHostExit(() => killGroup(child));
    const stdout = headOf(child.stdout, keepBytes);
    const stderr = headOf(child.stderr, keepBytes);
    let readOn: NodeJS.Timeout | undefined;
    let done = false;

    const finish = (failure?: Error): void => {
      if (done) return;
      done = true;
      clearTimeout(deadline);
      clearTimeout(readOn);
      signal?.removeEventListener('abort', onAbort);
      if (failure) killGroup(child);
      child.stdout?.destroy();
      child.stderr?.destroy();
      release();
      if (failure) reject(failure);
      else resolve({ exitCode: child.exitCode, signal: child.signalCode, stdout: stdout(), stderr: stderr() });
    };
    const onAbort = (): void => finish(new Error('was aborted'));
    const timeUp = (): void => finish(new Error(`did not exit within ${timeoutMs} ms`));
    const deadline = setTimeout(timeUp, timeoutMs);

    signal?.addEventListener('abort', onAbort, { once: true });
    child.on('error', (error) => finish(notStarted(error)));
    child.on('exit', () => {
      if (done) return;
      // `close` is delayed while a child of the program holds the pipe open.
      readOn = setTimeout(() => {
        killGroup(child);
        // On a busy machine the timer may fire before the pipe has been read.
        setImmediate(finish);
      }, READ_ON_MS);
    });
    child.on('close', () => finish());
  });
}

function start([program = '', ...args]: readonly string[], { cwd, env }: RunOptions): ChildProcess {
  const { spawn } = process.getBuiltinModule('node:child_process');
  try {
    return spawn(program, args, {
      cwd: cwd || undefined,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
  } catch (error) {
    throw notStarted(error);
  }
}

function notStarted(error: unknown): Error {
  return new Error(`could not be started (${reasonOf(error)})`);
}

function killGroup(child: ChildProcess): void {
  if (process.platform === 'win32' || child.pid === undefined) child.kill('SIGKILL');
  else send(-child.pid, 'SIGKILL');
}

/** Collects the first bytes of a stream; reads and drops the rest, so that the writer is not blocked. */
function headOf(stream: Readable | null, limit: number): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream?.on('error', () => {});
  stream?.on('data', (chunk: Buffer) => {
    if (size < limit) chunks.push(chunk.subarray(0, limit - size));
    size += chunk.length;
  });
  return () => Buffer.concat(chunks).toString('utf8');
}
