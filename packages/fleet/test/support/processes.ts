import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const WORKER = fileURLToPath(new URL('./worker-process.mjs', import.meta.url));
const GIT_WORKER = fileURLToPath(new URL('./git-worker.mjs', import.meta.url));

/** The configuration of a worker process; see worker-process.mjs. */
export interface WorkerConfig {
  readonly database: string;
  readonly schema: string;
  readonly name: string;
  readonly slots?: number;
  readonly limits?: object;
  readonly dieAt?: { readonly step: string; readonly nth: number };
  readonly crashAt?: { readonly step: string; readonly nth: number };
  readonly stopAt?: { readonly step: string; readonly nth: number };
  readonly effects?: string;
  readonly agentLog?: string;
  readonly skewMs?: number;
  readonly workMs?: number;
  readonly prepareMs?: number;
  readonly processes?: boolean;
  readonly hold?: boolean;
  readonly replay?: 'never' | 'unanswered' | 'always';
  readonly parkAfterMs?: number | 'never';
  readonly expiresAfterMs?: number;
  readonly warm?: { readonly turns: number; readonly conversations: number };
}

/** A worker process. */
export interface WorkerProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly exited: Promise<void>;
  /** Resolves with the first line that starts with the text. @throws if the process exits without it */
  line(start: string): Promise<string>;
}

/** Starts a worker process, which runs the built packages. */
export function startWorkerProcess(config: WorkerConfig): WorkerProcess {
  return startProcess(WORKER, config);
}

/** Starts a worker process with a Git workspace; see git-worker.mjs. */
export function startGitWorker(
  config: Pick<WorkerConfig, 'database' | 'schema' | 'name' | 'limits'> & {
    readonly remote: string;
    readonly directory: string;
    readonly env: Readonly<Record<string, string>>;
  },
): WorkerProcess {
  return startProcess(GIT_WORKER, config);
}

function startProcess(program: string, config: object): WorkerProcess {
  // Exits with this process, because its stdin ends.
  const child = spawn(process.execPath, [program, JSON.stringify(config)], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => {});
  child.on('error', () => {}); // `exited` follows.
  const exited = once(child, 'close').then(() => {});
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  const line = (start: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = lines.find((text) => text.startsWith(start));
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      void exited.then(() => reject(new Error(`The worker ended without "${start}".`)));
    });
  return {
    child,
    pid: child.pid ?? 0,
    exited,
    line,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
