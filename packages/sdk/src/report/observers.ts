import type { AgentOptions } from '../options/option-types.ts';
import type { Redactor } from '../redact.ts';
import { type ObservedOptions, observedOptionNames } from './observed-options.ts';
import type { ObservedRun, RunObserver, RunWatcher } from './run-observer.ts';
import { safely } from './safely.ts';

/** Describes a run to observers. */
export function observedRun(
  kind: ObservedRun['kind'],
  options: AgentOptions,
  redact: Redactor,
  pool?: ObservedRun['pool'],
): ObservedRun {
  const known = observedOptionNames.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]]));
  const shown: ObservedOptions = Object.freeze(Object.fromEntries(known));
  return { id: crypto.randomUUID(), kind, options: shown, pool, redact };
}

/** What the observer returns for a run. `undefined` if it fails, or returns anything else, such as a promise. */
export function watcherOf(observer: RunObserver, run: ObservedRun): RunWatcher | undefined {
  let watcher: RunWatcher | undefined;
  safely(() => {
    const opened = observer.opened(run);
    if (typeof opened === 'object' && opened !== null && !('then' in opened)) watcher = opened;
    return opened;
  });
  return watcher;
}

/**
 * Adds an observer to those of a client or a pool. The returned function removes it: it stops observing open runs and observes
 * no further ones.
 */
export function joinObservers(
  observers: Set<RunObserver>,
  observer: RunObserver,
): { readonly observer: RunObserver; readonly end: () => void } {
  const isActive = (): boolean => observers.has(endable);
  const endable: RunObserver = {
    opened: (run) => whileActive(isActive, isActive() ? watcherOf(observer, run) : undefined),
  };
  observers.add(endable);
  return { observer: endable, end: () => void observers.delete(endable) };
}

function whileActive(isActive: () => boolean, watcher: RunWatcher | undefined): RunWatcher | undefined {
  return (
    watcher && {
      environment: () => (isActive() && watcher.environment?.()) || {},
      prompt: (prompt) => isActive() && watcher.prompt?.(prompt),
      message: (message) => isActive() && watcher.message?.(message),
      event: (event) => isActive() && watcher.event?.(event),
      turnEnded: (end) => isActive() && watcher.turnEnded?.(end),
    }
  );
}
