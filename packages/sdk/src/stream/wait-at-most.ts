/** Waits for a promise that never rejects, but no longer than `ms`. Holds the host meanwhile. */
export async function waitAtMost(ms: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, enough]);
  clearTimeout(timer);
}
