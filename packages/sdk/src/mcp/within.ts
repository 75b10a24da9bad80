/** Waits for a promise, but no longer than `ms`; 0 is as long as it takes. */
export function within<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  if (ms <= 0) return promise;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    void promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
