import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { systemCodeOf } from '../errors/base.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Distinguishes our listener from the host's, also when it belongs to another copy of the package. */
const OURS = Symbol.for('coxswain.signal-listener');

const cleanups = new Set<() => void>();

/**
 * Runs `cleanup` (synchronous, must not throw) if the host exits, or is ended by a signal, before the returned function
 * is called. Listeners are installed only while a cleanup is registered.
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
 * Moves our listener to the front. A `once` listener is removed before it is called, so only the first listener sees
 * all of them. Signals arrive from the event loop, so a microtask is early enough.
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

function cleanUp(): void {
  for (const cleanup of cleanups) cleanup();
  cleanups.clear();
}

/** A host that listens decides what the signal means; if it exits, the exit hook runs then. */
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
 * `signal-exit` (used by execa, ora and many others) re-raises a signal only when it is the only listener, as we do. If
 * we counted it, each would wait for the other and Ctrl-C would end nothing. It publishes its count.
 */
function signalExitListeners(): number {
  const emitters = [
    Reflect.get(globalThis, Symbol.for('signal-exit emitter')),
    Reflect.get(process, '__signal_exit_emitter__'),
  ];
  return emitters.reduce((sum: number, emitter) => sum + (Number(emitter?.count) || 0), 0);
}

/** `ps` needs the most: three pipes, and one that reports whether it started. */
const SPARE = 8;

const spare: number[] = [];

/** Reserves descriptors for the cleanup of a host that has used up all others. */
function keepSpareDescriptors(): void {
  try {
    while (spare.length < SPARE) spare.push(openSync(devNull, 'r'));
  } catch {
    // Fewer may be enough.
  }
}

function dropSpareDescriptors(): void {
  for (const descriptor of spare.splice(0)) closeSync(descriptor);
}

/** Runs `work`, and again with the spare descriptors freed when it fails for lack of others. @throws what `work` throws */
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
