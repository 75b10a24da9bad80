/** Runs something in a certain async context. */
export type InContext = <R>(run: () => R) => R;

/** Remembers what AsyncLocalStorage holds now. */
export function currentContext(): InContext {
  return process.getBuiltinModule('node:async_hooks').AsyncLocalStorage.snapshot();
}
