import { growth, heapAfterGc, type Measures, measure } from './measures.ts';

/** The course of a repeated operation, and its remains. */
export interface Course {
  readonly name: string;
  readonly count: number;
  readonly ms: number;
  readonly before: Measures;
  readonly after: Measures;
  /** The heap at the start and after each part of the runs. */
  readonly heap: readonly number[];
  /** Growth of the heap per run in the second half, in bytes. */
  readonly heapPerRun: number;
  /** Resources that have grown; empty if there is no leak. */
  readonly problems: readonly string[];
}

/** Options of a repetition. */
export interface RepeatOptions {
  readonly warmUp?: number;
  /** Number of processes that are not leaks. */
  readonly known?: number;
  /** Number of parts of the runs, even: the heap is measured after each, which takes a while. */
  readonly parts?: number;
}

/** Limit of the growth per run. A leaked promise with its closures takes some hundred bytes; the noise of V8 is smaller. */
const HEAP_PER_RUN = 1_000;
/** Allowance for compiled code and caches before the heap is stable. */
const HEAP_NOISE = 1_500_000;

/** Runs an operation `count` times in sequence, after a few runs that are not counted. */
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

/** The slope of the linear regression. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const over = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0);
  const under = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return over / under;
}
