import type { ChildProcess } from 'node:child_process';
import type { RawSessionOptions } from 'coxswain/raw';
import { childTransport, type ExitReport, type StartRequest, type Transport } from 'coxswain/transport';
import type { Options } from '../declarations/options.ts';
import type { Flags } from './flags.ts';
import { wantsToBeAsked, withGuardedMode } from './guarded-mode.ts';

/** The program to run. Without a path in the options, it is searched when the process is started. */
export interface Command {
  /** Program and arguments before the flags; `undefined` until the search. */
  readonly argv: readonly string[] | undefined;
  readonly path: string;
  readonly isScript: boolean;
}

const SCRIPT = /\.(js|mjs|cjs|ts|tsx|jsx)$/;

/** The command of the options. A script is run by `executable`, or by the program that runs this one. */
export function commandFor({ pathToClaudeCodeExecutable: path, executable, executableArgs = [] }: Options): Command {
  if (path === undefined || path === '') return { argv: undefined, path: 'claude', isScript: false };
  const isScript = SCRIPT.test(path);
  const argv = isScript ? [executable ?? process.execPath, ...executableArgs, path] : [path, ...executableArgs];
  return { argv, path, isScript };
}

/** The parts of a raw session that start the command with these flags. */
export function launchFor(
  command: Command,
  { args, privateFiles }: Flags,
  options: Options,
  prepare: readonly Preparation[] = [],
): Pick<RawSessionOptions, 'argv' | 'privateFiles' | 'spawn' | 'transport'> {
  const start = command.argv ?? [command.path];
  const launch = {
    argv: [...start, ...args],
    privateFiles: privateFiles.map((file) => ({ ...file, argvIndex: file.argvIndex + start.length })),
  };
  const spawn = spawnOf(options);
  const found = command.argv ? [] : [search(options)];
  const steps = [...prepare, ...found, ...(wantsToBeAsked(options) ? [withGuardedMode] : [])];
  return steps.length === 0 ? { ...launch, spawn } : { ...launch, transport: prepared(spawn, steps) };
}

/** A step before the start of the CLI, which may change the request. */
export type Preparation = (request: StartRequest) => Promise<StartRequest>;

/** Searches for the CLI. */
function search({ executableArgs = [] }: Options): Preparation {
  return async (request) => {
    // Most programs set the path, so this is rarely loaded.
    const { findCli } = await import('coxswain/cli');
    const { command } = await findCli();
    const before = [...command, ...executableArgs];
    const added = before.length - 1;
    return {
      ...request,
      argv: [...before, ...request.argv.slice(1)],
      privateFiles: request.privateFiles.map((file) => ({ ...file, argvIndex: file.argvIndex + added })),
    };
  };
}

/** A transport that takes these steps before it starts the CLI. A query that is closed meanwhile does not start it. */
function prepared(spawn: RawSessionOptions['spawn'], steps: readonly Preparation[]): Transport {
  const child = childTransport({ spawn, bufferBytes: 1024 * 1024 });
  let state: 'preparing' | 'stopped' | 'started' = 'preparing';
  let stop: (exit: ExitReport) => void = () => {};
  const stopped = new Promise<ExitReport>((resolve) => {
    stop = resolve;
  });
  return {
    start: async (given) => {
      let request = given;
      for (const step of steps) request = await step(request);
      if (state === 'stopped') throw new Error('The query was closed before the CLI was started.');
      state = 'started';
      await child.start(request);
    },
    output: child.output,
    errorOutput: child.errorOutput,
    exited: Promise.race([child.exited, stopped]),
    get pid() {
      return child.pid;
    },
    write: (text) => child.write(text),
    endInput: () => child.endInput(),
    signal: (signal) => {
      if (state === 'started') return child.signal(signal);
      state = 'stopped';
      stop({ exitCode: null, signal: null, ended: 'by-itself' });
    },
    unref: () => child.unref?.(),
    ending: () => child.ending?.(),
    destroy: async () => child.destroy?.(),
  };
}

/** Adapts `spawnClaudeCodeProcess` for the core. Its signal is aborted when the process must end. */
function spawnOf({ spawnClaudeCodeProcess }: Options): RawSessionOptions['spawn'] {
  if (!spawnClaudeCodeProcess) return undefined;
  return (command, args, { cwd, env }) => {
    const ending = new AbortController();
    const options = { command, args: [...args], env: { ...env }, signal: ending.signal };
    const child = spawnClaudeCodeProcess(cwd === undefined ? options : { ...options, cwd: String(cwd) });
    // It may be a ChildProcess, which has more than the declared members.
    const { pid, stderr } = child as Partial<Pick<ChildProcess, 'pid' | 'stderr'>>;
    return {
      stdin: child.stdin,
      stdout: child.stdout,
      stderr,
      pid,
      exitCode: child.exitCode,
      signalCode: child.signalCode,
      kill: (signal = 'SIGTERM') => {
        ending.abort();
        return child.kill(signal);
      },
      on: (event, listener) => child.on(event, listener),
      once: (event, listener) => child.once(event, listener),
    };
  };
}
