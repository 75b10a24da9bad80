import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { systemCodeOf } from '../errors/base.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Marks our listener, including that of another copy of the package. */
const OURS = Symbol.for('coxswain.signal-listener');

const cleanups = new Set<() => void>();

/**
 * Runs `cleanup` (synchronous, must not throw) if the host exits or a signal ends it before the returned function is called.
 * Listeners are installed only while a cleanup is registered.
 */
export function atHostExit(cleanup: () => void): () => void {
  if (cleanups.size === 0) listen();
  cleanups.add(cleanup);
  return () => {
    if (cleanups.delete(cleanup) && cleanups.size === 0) unlisten();
  };
}

function listen(): void {
  keepSpareDescriptors();
  process.on('exit', cleanUp);
  process.on('newListener', stayFirst);
  for (const signal of SIGNALS) process.prependListener(signal, onSignal);
}

function unlisten(): void {
  dropSpareDescriptors();
  process.off('exit', cleanUp);
  process.off('newListener', stayFirst);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}

/**
 * Moves our listener to the front. A `once` listener is removed before it is called, so only the first listener can count all
 * of them. Signals are delivered from the event loop, so a microtask is early enough.
 */
function stayFirst(event: string | symbol, listener: object): void {
  const signal = SIGNALS.find((ours) => ours === event);
  if (signal === undefined || OURS in listener) return;
  queueMicrotask(() => {
    if (cleanups.size === 0) return;
    process.off(signal, onSignal);
    process.prependListener(signal, onSignal);
  });
}

/** The newest first: a CLI is killed before the folder that was made for it is removed, or it would write to it again. */
function cleanUp(): void {
  for (const cleanup of [...cleanups].reverse()) cleanup();
  cleanups.clear();
}

/** If the host handles the signal, it decides whether to exit, and the exit hook runs then. */
function onSignal(signal: NodeJS.Signals): void {
  if (hostListens(signal)) return;
  cleanUp();
  unlisten();
  process.kill(process.pid, signal);
}
Object.defineProperty(onSignal, OURS, { value: true });

function hostListens(signal: NodeJS.Signals): boolean {
  const others = process.listeners(signal).filter((listener) => !(OURS in listener));
  return others.length > signalExitListeners();
}

/**
 * `signal-exit` (used by execa, ora and many others) re-raises a signal only if it is the only listener, as this module does.
 * If it were counted, each would wait for the other and Ctrl-C would have no effect. It publishes its number of listeners.
 */
function signalExitListeners(): number {
  const emitters = [
    Reflect.get(globalThis, Symbol.for('signal-exit emitter')),
    Reflect.get(process, '__signal_exit_emitter__'),
  ];
  return emitters.reduce((sum: number, emitter) => sum + (Number(emitter?.count) || 0), 0);
}

/** Number of reserved descriptors. `ps` needs the most: three pipes, and one for its start. */
const SPARE = 8;

const spare: number[] = [];

/** Reserves descriptors for the cleanup of a host that has used up all others. */
function keepSpareDescriptors(): void {
  try {
    while (spare.length < SPARE) spare.push(openSync(devNull, 'r'));
  } catch {
    // Fewer descriptors may be enough.
  }
}

function dropSpareDescriptors(): void {
  for (const descriptor of spare.splice(0)) closeSync(descriptor);
}

/** Runs `work`. If it fails for lack of descriptors, frees the spare ones and runs it again. @throws the errors of `work` */
export function withSpareDescriptors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (spare.length === 0 || !/^E[MN]FILE$/.test(systemCodeOf(error))) throw error;
  }
  dropSpareDescriptors();
  try {
    return work();
  } finally {
    keepSpareDescriptors();
  }
}
