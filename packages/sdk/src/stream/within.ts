/**
 * What a promise resolves to, or `undefined` when it takes longer than `ms`. Holds the host meanwhile, unless `unref` is
 * set. @throws what the promise rejects with
 */
export async function within<T>(
  ms: number,
  promise: Promise<T>,
  options: { readonly unref?: boolean } = {},
): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    // Node 24 warns of a negative time; to whoever counts down to a moment that has passed it is none at all.
    timer = setTimeout(resolve, Math.max(ms, 0), undefined);
    if (options.unref) timer.unref();
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
