/** A process that is being ended does not hold the host; whoever waits for its end does. */
export function holdingTheHost<A>(promise: Promise<A>): Promise<A> {
  const hold = setInterval(() => {}, 2 ** 30);
  return promise.finally(() => clearInterval(hold));
}
