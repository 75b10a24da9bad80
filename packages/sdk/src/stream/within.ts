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
    timer = setTimeout(resolve, ms, undefined);
    if (options.unref) timer.unref();
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
