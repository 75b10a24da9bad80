/** Maximum time for which reading blocks the event loop. */
const SLICE_MS = 10;

/** Returns a function to await between the steps of a long task. From time to time, it yields to the event loop. */
export function pauses(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await new Promise(setImmediate);
    since = performance.now();
  };
}
