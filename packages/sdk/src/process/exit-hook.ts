import { dropSpareDescriptors, keepSpareDescriptors } from './spare-descriptors.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Tells our listener from the host's, also when it belongs to another copy of the package. */
const OURS = Symbol.for('coxswain.signal-listener');

const cleanups = new Set<() => void>();

/**
 * Runs `cleanup` (synchronous, must not throw) should the host exit or be ended by a signal before the returned
 * function is called. The host's process has listeners of ours only while something is registered.
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
 * A listener added with `once` is off the list before it is called: only who is called first sees all that a signal was
 * meant for. Signals come from the event loop, so to be first again by the end of the tick is early enough.
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

/** A host with a listener of its own decides what the signal means; if that is to exit, the exit hook comes after. */
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
 * `signal-exit` (below execa, ora and many others) re-raises a signal only when nobody but itself listens, as we do:
 * without counting it out, each would wait for the other and Ctrl-C would end nothing. It publishes its count.
 */
function signalExitListeners(): number {
  const emitters = [
    Reflect.get(globalThis, Symbol.for('signal-exit emitter')),
    Reflect.get(process, '__signal_exit_emitter__'),
  ];
  return emitters.reduce((sum: number, emitter) => sum + (Number(emitter?.count) || 0), 0);
}
