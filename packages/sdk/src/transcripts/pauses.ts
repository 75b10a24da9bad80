/** How long others wait while transcripts are read. */
const SLICE_MS = 10;

/** A function to await between two steps of a long task: now and then it lets the rest of the program run. */
export function pauses(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await new Promise(setImmediate);
    since = performance.now();
  };
}
