import type { QueryStream } from './query-stream.ts';

/** Runs `fn` with the stream and closes it whatever happens. */
export async function withStream<T, A>(stream: QueryStream<T>, fn: (stream: QueryStream<T>) => Promise<A>): Promise<A> {
  try {
    return await fn(stream);
  } finally {
    await stream.close();
  }
}
