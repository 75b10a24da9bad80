/**
 * Waits for all statements of a transaction that were sent without waiting for each other: they take one round trip. None is
 * under way any more when it throws. @throws what the first of them threw
 */
export async function together<const T extends readonly (Promise<unknown> | undefined)[]>(
  sent: T,
): Promise<{ -readonly [S in keyof T]: Awaited<T[S]> }> {
  const failure = (await Promise.allSettled(sent)).find((answer) => answer.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
  return Promise.all(sent);
}
