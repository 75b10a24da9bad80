import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { atHostExit } from '../process/exit-hook.ts';

/** How to run a helper program. */
export interface RunOptions {
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** How many bytes to keep from the start of stdout, and of stderr. */
  readonly keepBytes: number;
}

/** How a helper program ended. */
export type Ended =
  | {
      readonly kind: 'exited';
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly output: string;
      readonly complaint: string;
    }
  | { readonly kind: 'not-started' | 'timeout' | 'aborted'; readonly reason: string };

/** How long output is read after the exit. */
const READ_ON_MS = 200;

/** Runs a program to its end, without a shell or stdin, and kills its group after the timeout. Never rejects. */
export function runProgram(command: readonly string[], options: RunOptions): Promise<Ended> {
  const { signal } = options;
  if (signal?.aborted) return Promise.resolve(ABORTED);
  let child: ChildProcess;
  try {
    child = start(command, options);
  } catch (error) {
    return Promise.resolve(notStarted(error));
  }
  return new Promise((resolve) => {
    const release = atHostExit(() => killGroup(child));
    const output = headOf(child.stdout, options.keepBytes);
    const complaint = headOf(child.stderr, options.keepBytes);
    let readOn: NodeJS.Timeout | undefined;
    let done = false;

    const finish = (ended: Ended): void => {
      if (done) return;
      done = true;
      clearTimeout(deadline);
      clearTimeout(readOn);
      signal?.removeEventListener('abort', onAbort);
      child.stdout?.destroy();
      child.stderr?.destroy();
      release();
      resolve(ended);
    };
    const giveUp = (ended: Ended): void => {
      killGroup(child);
      finish(ended);
    };
    const conclude = (): void => {
      const { exitCode, signalCode } = child;
      finish({ kind: 'exited', exitCode, signal: signalCode, output: output(), complaint: complaint() });
    };
    const onAbort = (): void => giveUp(ABORTED);
    const deadline = setTimeout(
      () => giveUp({ kind: 'timeout', reason: `did not end within ${options.timeoutMs} ms` }),
      options.timeoutMs,
    );

    signal?.addEventListener('abort', onAbort, { once: true });
    child.on('error', (error) => finish(notStarted(error)));
    child.on('exit', () => {
      if (done) return;
      // `close` does not follow while a process that the program started holds the pipe.
      readOn = setTimeout(() => {
        killGroup(child);
        // On a busy machine the timer may fire before the pipe was read.
        setImmediate(conclude);
      }, READ_ON_MS);
    });
    child.on('close', conclude);
  });
}

const ABORTED: Ended = { kind: 'aborted', reason: 'was aborted' };

function notStarted(error: unknown): Ended {
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'not-started', reason: `could not be started (${message})` };
}

function start([program = '', ...args]: readonly string[], { cwd, env }: RunOptions): ChildProcess {
  const { spawn } = process.getBuiltinModule('node:child_process');
  return spawn(program, args, {
    cwd: cwd || undefined,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
}

function killGroup(child: ChildProcess): void {
  try {
    if (process.platform === 'win32' || child.pid === undefined) child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The whole group is gone already.
  }
}

/** Collects the first bytes of a stream; the rest is read and dropped, so that the writer is not blocked. */
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
