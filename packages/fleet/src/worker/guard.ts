import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';
import { AgentFunctionError } from '../errors.ts';

/** The function of an agent in which something runs, for one turn. */
export interface Suspect {
  /** `options`, `workspace.prepare`, … */
  readonly name: string;
  /** Ends the turn because of it, and reports it; only the latter if the turn has ended. */
  onFault(error: unknown): void;
}

const suspects = new AsyncLocalStorage<Suspect | undefined>();

/** Runs a function of an agent; what it leaves behind, such as timers and promises, counts as its own. */
export function guarded<T>(suspect: Suspect, call: () => T): T {
  return suspects.run(suspect, call);
}

/** Runs code that is not the agent's. */
export function unguarded<T>(call: () => T): T {
  return suspects.run(undefined, call);
}

/**
 * Keeps a turn from ending the process with all its neighbours, until the returned function is called: `process.exit()`, an uncaught
 * exception or an unhandled rejection in a function of an agent ends only its turn, also if it comes when that is over. After one
 * that belongs to no turn, and that nothing else in the process handles, `crashed` has time to end the worker in order before the process exits with 1.
 */
export function guardProcess(crashed: () => Promise<void>): () => void {
  if (workers.size === 0) install();
  workers.add(crashed);
  return () => {
    workers.delete(crashed);
    if (workers.size === 0) uninstall();
  };
}

const workers = new Set<() => Promise<void>>();

/** How long workers may take to end after a crash. */
const CRASH_MS = 10_000;

let exit: typeof process.exit = process.exit;
let isCrashing = false;

function install(): void {
  exit = process.exit;
  process.exit = guardedExit;
  process.on('unhandledRejection', onRejection);
  process.on('uncaughtException', onException);
}

function uninstall(): void {
  // Another library may have replaced it since.
  if (process.exit === guardedExit) process.exit = exit;
  process.off('unhandledRejection', onRejection);
  process.off('uncaughtException', onException);
}

function guardedExit(code?: number | string | null): never {
  const suspect = suspects.getStore();
  if (suspect !== undefined) {
    const problem = `called process.exit(${code ?? ''}), which would end the worker and all its turns. Throw an error instead.`;
    const error = new AgentFunctionError(suspect.name, problem);
    suspect.onFault(error);
    throw error;
  }
  return exit.call(process, code);
}

function onRejection(reason: unknown): void {
  if (isBlamed('rejected a promise that nothing handles', reason)) return;
  // As Node does it without a listener.
  if (process.listenerCount('unhandledRejection') === 1) throw reason;
}

function onException(error: unknown): void {
  if (isBlamed('threw an exception that nothing catches', error)) return;
  if (process.listenerCount('uncaughtException') === 1) crash(error);
}

function isBlamed(what: string, error: unknown): boolean {
  const suspect = suspects.getStore();
  if (suspect === undefined) return false;
  const words = error instanceof Error ? error.message : String(error);
  const isKnown = error instanceof AgentFunctionError;
  suspect.onFault(isKnown ? error : new AgentFunctionError(suspect.name, `${what}: ${words}`, error));
  return true;
}

function crash(error: unknown): void {
  if (isCrashing) return;
  isCrashing = true;
  process.stderr.write(`${inspect(error)}\n`);
  const end = (): never => exit.call(process, 1);
  setTimeout(end, CRASH_MS);
  void Promise.allSettled([...workers].map((crashed) => crashed())).then(end);
}
