import { growth, heapAfterGc, type Measures, measure } from './measures.ts';

/** One thing done many times, and what is left of it. */
export interface Course {
  readonly name: string;
  readonly count: number;
  readonly ms: number;
  readonly before: Measures;
  readonly after: Measures;
  /** The heap at the start and after each part of the runs. */
  readonly heap: readonly number[];
  /** By how many bytes the heap grew with each run, in the second half. */
  readonly heapPerRun: number;
  /** What has grown; nothing when all is well. */
  readonly problems: readonly string[];
}

/** How something is repeated. */
export interface RepeatOptions {
  readonly warmUp?: number;
  /** Processes that are no leak. */
  readonly known?: number;
  /** How many parts the runs are in, an even number: the heap is looked at after each, which takes a while. */
  readonly parts?: number;
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
  options: RepeatOptions = {},
): Promise<Course> {
  const { parts = 10 } = options;
  for (let number = 0; number < (options.warmUp ?? 20); number += 1) await run(number);
  const before = await measure(options.known);
  const from = performance.now();
  const heap: number[] = [before.heapBytes];
  for (let part = 0; part < parts; part += 1) {
    const until = Math.round((count * (part + 1)) / parts);
    for (let number = Math.round((count * part) / parts); number < until; number += 1) await run(number);
    heap.push(await heapAfterGc());
  }
  const ms = performance.now() - from;
  const after = await measure(before);
  const secondHalf = heap.slice(parts / 2);
  const heapPerRun = slope(secondHalf) / (count / parts);
  const problems = problemsOf(before, after, secondHalf, heapPerRun);
  return { name, count, ms, before, after, heap, heapPerRun, problems };
}

function problemsOf(before: Measures, after: Measures, heap: readonly number[], heapPerRun: number): string[] {
  const grown = (heap.at(-1) ?? 0) - (heap[0] ?? 0);
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
