import { growth, heapAfterGc, type Measures, measure } from './measures.ts';

/** One thing done many times, and what is left of it. */
export interface Course {
  readonly name: string;
  readonly count: number;
  readonly ms: number;
  readonly before: Measures;
  readonly after: Measures;
  /** The heap after each tenth of the runs. */
  readonly heap: readonly number[];
  /** By how many bytes the heap grew with each run, in the second half. */
  readonly heapPerRun: number;
  /** What has grown; nothing when all is well. */
  readonly problems: readonly string[];
}

/** A leak of a promise with its closures is some hundred bytes; V8's own noise over a few hundred runs is less. */
const HEAP_PER_RUN = 1_000;
/** What compiled code and caches may take before the course is flat. */
const HEAP_NOISE = 1_500_000;

/** Does something `count` times, one after the other, after a few times that are not counted. */
export async function repeat(
  name: string,
  count: number,
  run: (number: number) => Promise<void>,
  options: { readonly warmUp?: number /** Processes that are no leak. */; readonly known?: number } = {},
): Promise<Course> {
  for (let number = 0; number < (options.warmUp ?? 20); number += 1) await run(number);
  const before = await measure(options.known);
  const from = performance.now();
  const heap: number[] = [before.heapBytes];
  for (let tenth = 0; tenth < 10; tenth += 1) {
    const until = Math.round((count * (tenth + 1)) / 10);
    for (let number = Math.round((count * tenth) / 10); number < until; number += 1) await run(number);
    heap.push(await heapAfterGc());
  }
  const ms = performance.now() - from;
  const after = await measure(before);
  const heapPerRun = slope(heap.slice(5)) / (count / 10);
  return { name, count, ms, before, after, heap, heapPerRun, problems: problemsOf(before, after, heap, heapPerRun) };
}

function problemsOf(before: Measures, after: Measures, heap: readonly number[], heapPerRun: number): string[] {
  const grown = (heap.at(-1) ?? 0) - (heap[5] ?? 0);
  const leaks = heapPerRun > HEAP_PER_RUN && grown > HEAP_NOISE;
  return [...growth(before, after), ...(leaks ? [`heap: ${Math.round(heapPerRun)} bytes more with each run`] : [])];
}

/** The slope of the straight line that fits best. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const over = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0);
  const under = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return over / under;
}
