import type { Readable, Writable } from 'node:stream';
import { errorOf } from '../errors/base.ts';
import { SpawnError } from '../errors/start.ts';
import { defaultLimits } from '../limits.ts';
import type { SpawnedProcess, SpawnFunction } from '../options/option-types.ts';
import { safely } from '../report/safely.ts';
import { Deferred } from '../timing/timers.ts';
import type { Warning } from '../warnings/warning.ts';
import { ChildInput, ChildOutput, unrefStream } from './child-pipes.ts';
import { atHostExit } from './exit-hook.ts';
import { givenProcess } from './given-process.ts';
import { type Stdio, withoutInherited } from './inherited-descriptors.ts';
import { NewPids } from './new-pids.ts';
import { guardOrphan } from './orphan-guard.ts';
import { type PassedFiles, passPrivateFiles } from './private-files.ts';
import { ENDED_BY, strongest } from './shutdown.ts';
import { spawnFailure } from './spawn-failure.ts';
import {
  type ExitReport,
  NEVER_STARTED,
  type StartRequest,
  type Transport,
  type TransportSignal,
} from './transport.ts';
import {
  killMarked,
  killTree,
  newMark,
  RUN_VARIABLE,
  send,
  signalIsolated,
  TreeRecord,
  warnOfUnseenTrees,
} from './tree.ts';

export interface ChildTransportOptions {
  readonly spawn?: SpawnFunction | undefined;
  /** Maximum unread bytes of stdout before the pipe is paused. */
  readonly bufferBytes?: number | undefined;
  /** Ends the CLI if the host is killed. Default: true. Has no effect on Windows. */
  readonly orphanGuard?: boolean | undefined;
  /** Returns the program and the arguments that run the CLI in isolation; `folders` have its private files. */
  readonly isolate?: ((request: StartRequest, folders: readonly string[]) => readonly string[]) | undefined;
  readonly onWarning?: ((warning: Warning) => void) | undefined;
}

/** The default transport: runs the CLI as a child process that leads its own process group. */
export function childTransport(options: ChildTransportOptions = {}): Transport {
  return new ChildTransport(options);
}

const WINDOWS = process.platform === 'win32';

class ChildTransport implements Transport {
  readonly output: ChildOutput;
  /** Always read immediately. */
  readonly errorOutput: ChildOutput = new ChildOutput('stderr', 256 * 1024);
  readonly #exited = new Deferred<ExitReport>();
  readonly exited: Promise<ExitReport> = this.#exited.promise;
  readonly #options: ChildTransportOptions;
  readonly #input = new ChildInput();
  readonly #mark = newMark();
  #state: 'new' | 'started' | 'running' | 'exited' = 'new';
  #child: SpawnedProcess | undefined;
  #tree: TreeRecord | undefined;
  #pids: NewPids | undefined;
  #ended: ExitReport['ended'] = 'by-itself';

  constructor(options: ChildTransportOptions) {
    this.#options = options;
    this.output = new ChildOutput('stdout', options.bufferBytes ?? defaultLimits.bufferBytes);
  }

  get pid(): number | undefined {
    return this.#child?.pid ?? undefined;
  }

  async start(request: StartRequest): Promise<void> {
    if (this.#state !== 'new') {
      const path = request.argv[0] ?? '';
      throw new SpawnError('A transport starts one process. Create a new one for each run.', { reason: 'other', path });
    }
    this.#state = 'started';
    try {
      const files = passPrivateFiles(request, this.#warn);
      this.#pids = new NewPids();
      const marked = { ...request, env: { ...request.env, [RUN_VARIABLE]: this.#mark } };
      this.#adopt(await launch(marked, this.#isolated(marked, files), this.#options), files);
    } catch (error) {
      this.output.end();
      this.errorOutput.end();
      this.#input.close('The CLI could not be started.', error);
      this.#exited.resolve({ ...NEVER_STARTED, error: errorOf(error) });
      throw error;
    }
  }

  write(text: string): Promise<void> {
    return this.#input.write(text);
  }

  endInput(): Promise<void> {
    return this.#input.end();
  }

  signal(signal: TransportSignal): void {
    const { pid } = this;
    if (this.#state !== 'running') return;
    this.ending();
    this.#ended = strongest(this.#ended, ENDED_BY[signal]);
    if (pid === undefined)
      return this.#ask(signal === 'kill' ? 'SIGKILL' : signal === 'interrupt' ? 'SIGINT' : 'SIGTERM');
    // Windows has no signals: each would end the process but not its children.
    if (signal === 'kill' || WINDOWS) killTree(pid);
    else if (this.#options.isolate) signalIsolated(pid, signal === 'interrupt' ? 'SIGINT' : 'SIGTERM');
    else if (signal === 'interrupt') send(pid, 'SIGINT');
    // A custom `spawn` may have started the process in another group.
    else if (!send(-pid, 'SIGTERM')) this.#ask('SIGTERM');
  }

  ending(): void {
    if (this.#state === 'running') this.#tree?.look();
  }

  async destroy(): Promise<void> {
    await Promise.all(this.#pipes().map(closeStream));
  }

  unref(): void {
    this.#child?.unref?.();
    for (const pipe of this.#pipes()) unrefStream(pipe);
  }

  /** The files with the command line that runs the CLI in isolation, if it must be. */
  #isolated(request: StartRequest, files: PassedFiles): PassedFiles {
    const { isolate } = this.#options;
    if (!isolate) return files;
    try {
      return { ...files, argv: [...isolate(request, files.folders), ...files.argv] };
    } catch (error) {
      files.remove();
      throw error;
    }
  }

  #adopt(child: SpawnedProcess, files: PassedFiles): void {
    const { stdin, stdout, stderr } = child;
    this.#child = child;
    const { pid } = this;
    this.#state = 'running';
    if (stdin) this.#input.attach(stdin);
    if (stdout) this.output.attach(stdout);
    else this.output.end();
    if (stdout) onFirstJson(stdout, () => files.read());
    if (stderr) this.errorOutput.attach(stderr);
    else this.errorOutput.end();
    const release = pid === undefined ? atHostExit(() => this.#ask('SIGKILL')) : this.#watch(pid, stdin ?? null);
    const exited = (exitCode: number | null, signal: string | null): void => {
      if (this.#state === 'exited') return;
      this.#state = 'exited';
      this.#endTree(exitCode, signal);
      release();
      files.remove();
      this.#input.close(`The CLI (pid ${pid ?? 'unknown'}) has exited; nothing can be written to it.`);
      this.#exited.resolve({ exitCode, signal, ended: this.#ended });
    };
    child.once('exit', exited);
    // A custom process may have exited before `spawn` returned it.
    if (child.exitCode != null || child.signalCode != null) exited(child.exitCode ?? null, child.signalCode ?? null);
  }

  /** Ends the process tree when the host exits or is killed. Returns the function that cancels this. */
  #watch(pid: number, stdin: Writable | null): () => void {
    this.#tree = new TreeRecord(pid);
    warnOfUnseenTrees(this.#warn);
    const forget = atHostExit(() => killTree(pid));
    const release = this.#options.orphanGuard !== false && !WINDOWS ? guardOrphan(pid, stdin, this.#warn) : () => {};
    return () => {
      forget();
      release();
    };
  }

  #endTree(exitCode: number | null, signal: string | null): void {
    const tree = this.#tree;
    if (!tree) return;
    tree.killSurvivors();
    // If another process killed the CLI, or the CLI exited before its tree was recorded, its tools are in no recorded tree. The
    // same applies to a command that the CLI started later.
    const unseen = this.#ended === 'by-itself' && wasKilled(exitCode, signal);
    killMarked(this.#mark, this.#pids?.candidates() ?? [], unseen ? undefined : tree.present);
  }

  /** Signals the process through the object that `spawn` returned. */
  #ask(signal: NodeJS.Signals): void {
    // The process may have exited, or a custom kill() may throw.
    safely(() => this.#child?.kill(signal));
  }

  #pipes(): Pipe[] {
    const { stdin, stdout, stderr } = this.#child ?? {};
    return [stdin, stdout, stderr].filter((pipe) => pipe != null);
  }

  #warn = (warning: Warning): void => safely(() => this.#options.onWarning?.(warning));
}

type Pipe = NonNullable<SpawnedProcess['stdin'] | SpawnedProcess['stdout']>;

async function launch(
  request: StartRequest,
  files: PassedFiles,
  { spawn, isolate }: ChildTransportOptions,
): Promise<SpawnedProcess> {
  try {
    const stdio = ['pipe', 'pipe', 'pipe', ...files.descriptors] as const;
    const child = isolate
      ? withoutInherited(stdio, (closed) => start(request, files, closed))
      : start(request, files, stdio, spawn);
    const failure = new Promise<unknown>((resolve) => child.on('error', resolve));
    if (child.pid != null) return child;
    // If a program cannot be started, Node reports it in the next tick. A process without a pid runs elsewhere.
    const running = Symbol('running');
    const outcome = await Promise.race([failure, new Promise((resolve) => setImmediate(resolve, running))]);
    if (outcome !== running) throw outcome;
    return child;
  } catch (error) {
    files.remove();
    throw error instanceof SpawnError ? error : spawnFailure(error, request);
  }
}

function start(
  request: StartRequest,
  { argv }: PassedFiles,
  stdio: readonly Stdio[],
  spawn?: SpawnFunction,
): SpawnedProcess {
  const call = [
    argv[0] ?? '',
    argv.slice(1),
    {
      cwd: request.cwd || undefined,
      env: request.env,
      detached: !WINDOWS,
      windowsHide: true,
      stdio: [...stdio],
    },
  ] satisfies Parameters<SpawnFunction>;
  return spawn ? givenProcess(spawn, ...call) : process.getBuiltinModule('node:child_process').spawn(...call);
}

/** A CLI that prints JSON has read its files. A wrapper may print other text before it starts the CLI. */
function onFirstJson(stdout: Readable, callback: () => void): void {
  const look = (chunk: Uint8Array): void => {
    if (!/^[^\S\n]*\{/m.test(Buffer.from(chunk).toString('latin1'))) return;
    stdout.off('data', look);
    callback();
  };
  stdout.on('data', look);
}

function closeStream(stream: Pipe): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) return resolve();
    stream.once('close', resolve);
    stream.destroy();
  });
}

/** True also for exit codes above 128, with which the CLI reports some signals. */
function wasKilled(exitCode: number | null, signal: string | null): boolean {
  return signal !== null || (exitCode !== null && exitCode > 128);
}
