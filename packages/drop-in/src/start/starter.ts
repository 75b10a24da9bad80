import type { ChildProcess } from 'node:child_process';
import type { RawSessionOptions } from 'coxswain/raw';
import type { Options } from '../declarations/options.ts';

type Spawn = NonNullable<RawSessionOptions['spawn']>;

/** Starts the process, and keeps what the start has thrown: the official SDK throws it at the call of `query()`. */
export class Starter {
  readonly spawn: Spawn;
  /** The exception of a start during the call of `query()`. */
  thrown: { readonly error: unknown } | undefined;

  constructor({ spawnClaudeCodeProcess }: Options) {
    const start = spawnClaudeCodeProcess ? custom(spawnClaudeCodeProcess) : ownSpawn;
    this.spawn = (...call) => {
      try {
        return start(...call);
      } catch (error) {
        this.thrown = { error: withoutValue(error) };
        throw error;
      }
    };
  }
}

const ownSpawn: Spawn = (command, args, options) =>
  process.getBuiltinModule('node:child_process').spawn(command, [...args], options);

/** Adapts `spawnClaudeCodeProcess` for the core. Its signal is aborted when the process must end. */
function custom(spawn: NonNullable<Options['spawnClaudeCodeProcess']>): Spawn {
  return (command, args, { cwd, env }) => {
    const ending = new AbortController();
    const options = { command, args: [...args], env: { ...env }, signal: ending.signal };
    const child = spawn(cwd === undefined ? options : { ...options, cwd: String(cwd) });
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

/** Node quotes an invalid value, which may be a secret from the environment. */
function withoutValue(error: unknown): unknown {
  if (!(error instanceof TypeError && 'code' in error)) return error;
  return Object.assign(new TypeError(error.message.replace(/ Received .*$/s, '')), { code: error.code });
}
