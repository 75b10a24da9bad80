import { Chopper } from './chunks.mjs';
import { lineMaker } from './frames.mjs';
import { Pipeline } from './pipeline.mjs';
import { seeded } from './random.mjs';

/** Maximum line length of the framer; some lines are longer. */
const MAX_LINE_BYTES = 4_096;

/** Number of lines that are created before they are split into chunks. */
const BATCH = 500;

/**
 * Feeds random frames to the pipeline and reports the results.
 * @param {{ readonly frames: number, readonly seed: number }} options
 */
export function runFuzz({ frames, seed }) {
  const random = seeded(seed);
  const makeLine = lineMaker(random, MAX_LINE_BYTES);
  const pipeline = new Pipeline(MAX_LINE_BYTES);
  const chopper = new Chopper(random);
  const begun = performance.now();
  /** @type {{ frame: number, message: string } | undefined} */
  let failure;
  let made = 0;
  try {
    while (made < frames) {
      for (const end = Math.min(made + BATCH, frames); made < end; made += 1) {
        const line = makeLine();
        pipeline.expect(line);
        chopper.add(line.bytes);
      }
      chopper.cut((chunk) => pipeline.push(chunk));
    }
    pipeline.end();
  } catch (error) {
    failure = { frame: pipeline.seen, message: error instanceof Error ? error.message : String(error) };
  }
  const ms = Math.round(performance.now() - begun);
  return {
    seed,
    frames: made,
    chunks: chopper.chunks,
    bytes: chopper.bytes,
    ms,
    framesPerSecond: Math.round((made / Math.max(ms, 1)) * 1_000),
    kinds: Object.fromEntries([...pipeline.counts].sort()),
    ...(failure && { failure }),
  };
}
