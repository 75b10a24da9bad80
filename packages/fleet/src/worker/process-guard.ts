import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';
import { AgentFunctionError } from '../errors.ts';
import { messageOf } from '../turn/text-of.ts';

/** A call of an agent's function, for one turn. */
export interface GuardedFunction {
  /** `options`, `workspace.prepare`, … */
  readonly name: string;
  /** Receives an error outside of any call; it fails the turn unless that has ended. */
  onFault(error: unknown): void;
}

const guardedFunctions = new AsyncLocalStorage<GuardedFunction | undefined>();

/** Calls a function of an agent. Timers and promises that it leaves behind are attributed to it. */
export function guarded<T>(called: GuardedFunction, call: () => T): T {
  return guardedFunctions.run(called, call);
}

/** Runs code that is not the agent's. */
export function unguarded<T>(call: () => T): T {
  return guardedFunctions.run(undefined, call);
}

/**
 * Protects the process from the functions of agents, until the returned function is called: `process.exit()`, an uncaught exception or
 * an unhandled rejection in one of them ends only its turn, and nothing if the turn has ended. If an exception belongs to no turn and
 * nothing else in the process handles it, `crashed` has time to stop the worker in order before the process exits with 1.
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

/** Time for workers to stop after a crash. */
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
  const called = guardedFunctions.getStore();
  if (called !== undefined) {
    const problem = `called process.exit(${code ?? ''}), which would end the worker and all its turns. Throw an error instead.`;
    const error = new AgentFunctionError(called.name, problem);
    called.onFault(error);
    throw error;
  }
  return exit.call(process, code);
}

function onRejection(reason: unknown): void {
  if (isHandled('rejected a promise that nothing handles', reason)) return;
  // What Node does without a listener.
  if (process.listenerCount('unhandledRejection') === 1) throw reason;
}

function onException(error: unknown): void {
  if (isHandled('threw an exception that nothing catches', error)) return;
  if (process.listenerCount('uncaughtException') === 1) crash(error);
}

function isHandled(what: string, error: unknown): boolean {
  const called = guardedFunctions.getStore();
  if (called === undefined) return false;
  const isKnown = error instanceof AgentFunctionError;
  called.onFault(isKnown ? error : new AgentFunctionError(called.name, `${what}: ${messageOf(error)}`, error));
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
