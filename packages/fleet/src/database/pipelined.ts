/**
 * Waits for statements of a transaction that were sent without waiting for each other, in one round trip. When it throws, none is
 * still running. @throws the error of the first that failed
 */
export async function pipelined<const T extends readonly (Promise<unknown> | undefined)[]>(
  sent: T,
): Promise<{ -readonly [S in keyof T]: Awaited<T[S]> }> {
  const failure = (await Promise.allSettled(sent)).find((answer) => answer.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
  return Promise.all(sent);
}
