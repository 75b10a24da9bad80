import { parseArgs } from 'node:util';
import { releases } from '../../scripts/fetch/cli.mjs';
import { readCounterexample, walksFrom, writeCounterexample } from './counterexamples.ts';
import { generateWalk } from './generate.ts';
import { runWalk, type WalkReport } from './run-walk.ts';
import { shrink } from './shrink.ts';
import { WALK_KINDS, type Walk, type WalkKind } from './steps.ts';

const { tested, peculiar } = releases();
const RELEASES = [...tested, ...Object.values(peculiar)];

const USAGE = `npm run do -- walk [options]
  --seeds 100              how many seeds (10)
  --from 1                 the first of them (1)
  --steps 40               steps of each walk (40)
  --cli <version>,…        releases (the tested ones)
  --kind session,pool      session, restarting, pool (all three)
  --jobs 3                 walks at once (3)
  --shrink 120             seconds spent on making a failing walk smaller (0)
  --replay <file.json>     repeats a counterexample instead, --seeds times
  --trace                  prints what happened in the walks that failed`;

/** The folder for failing walks. */
const FOLDER = '.cache/walk';

/** The outcome of a run of the command. */
export interface WalkRun {
  readonly firstSeed: number;
  readonly lastSeed: number;
  readonly releases: readonly string[];
  readonly kinds: readonly WalkKind[];
  readonly walks: number;
  readonly steps: number;
  readonly prompts: number;
  readonly answered: number;
  readonly failures: number;
}

/** The command; returns its exit code. `keep` receives the outcome, unless the run only repeated a counterexample. */
export async function main(argv: readonly string[], keep: (run: WalkRun) => void): Promise<number> {
  const options = readOptions(argv);
  if (!options) {
    console.error(USAGE);
    return 2;
  }
  const walks = walksOf(options);
  const tally = { walks: walks.length, steps: 0, prompts: 0, answered: 0 };
  const failed: string[] = [];
  const work = async (): Promise<void> => {
    for (let walk = walks.shift(); walk; walk = walks.shift()) {
      const report = await runWalk(walk);
      tally.steps += walk.steps.length;
      tally.prompts += report.prompts;
      tally.answered += report.answered;
      if (report.violations.length > 0) failed.push(await explain(report, options));
    }
  };
  await Promise.all(Array.from({ length: options.jobs }, work));
  const { seeds, from, cli, kind } = options;
  console.log(`walk: seeds ${from} to ${from + seeds - 1}, releases ${cli.join(', ')}, ${kind.join(', ')}`);
  console.log(`${tally.walks} walks, ${tally.steps} steps, ${tally.prompts} prompts, ${tally.answered} answered`);
  console.log(failed.length === 0 ? 'no failures' : `${failed.length} failures:\n${failed.join('\n')}`);
  const run = { firstSeed: from, lastSeed: from + seeds - 1, releases: cli, kinds: kind, failures: failed.length };
  if (options.replay === undefined) keep({ ...run, ...tally });
  return failed.length > 0 ? 1 : 0;
}

interface Options {
  readonly seeds: number;
  readonly from: number;
  readonly steps: number;
  readonly cli: readonly string[];
  readonly kind: readonly WalkKind[];
  readonly jobs: number;
  readonly shrink: number;
  readonly replay: string | undefined;
  readonly trace: boolean;
}

function readOptions(argv: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seeds: { type: 'string', default: '10' },
      from: { type: 'string', default: '1' },
      steps: { type: 'string', default: '40' },
      cli: { type: 'string', default: RELEASES.join(',') },
      kind: { type: 'string', default: WALK_KINDS.join(',') },
      jobs: { type: 'string', default: '3' },
      shrink: { type: 'string', default: '0' },
      replay: { type: 'string' },
      trace: { type: 'boolean', default: false },
    },
  });
  const [seeds = 0, from = 0, steps = 0, jobs = 0, seconds = 0] = [
    values.seeds,
    values.from,
    values.steps,
    values.jobs,
    values.shrink,
  ].map(Number);
  const kind = values.kind.split(',').filter(isKind);
  const good = seeds > 0 && steps > 0 && jobs > 0 && seconds >= 0 && Number.isInteger(from) && kind.length > 0;
  if (!good) return undefined;
  const { replay, trace } = values;
  return { seeds, from, steps, cli: values.cli.split(','), kind, jobs, shrink: seconds, replay, trace };
}

function walksOf({ seeds, from, steps, cli, kind, replay }: Options): Walk[] {
  const numbers = Array.from({ length: seeds }, (_, nth) => from + nth);
  if (replay !== undefined) return numbers.flatMap(() => walksFrom(readCounterexample(replay)));
  return numbers.flatMap((seed) =>
    cli.flatMap((release) => kind.map((one) => generateWalk({ seed, release, kind: one, length: steps }))),
  );
}

/** Shrinks a failing walk, saves it and reports what it shows. */
async function explain(failed: WalkReport, options: Options): Promise<string> {
  const report = options.shrink > 0 ? await shrink(failed, { forMs: options.shrink * 1_000, tries: 3 }) : failed;
  const { walk, violations, trace } = report;
  const path = writeCounterexample(FOLDER, report);
  const head = `${walk.release} ${walk.kind} seed ${walk.seed}, ${walk.steps.length} steps: ${path}`;
  const lines = violations.slice(0, 5).map(({ rule, detail }) => `    ${rule}: ${detail}`);
  console.log([head, ...lines, ...(options.trace ? trace : [])].join('\n'));
  return [head, ...lines.slice(0, 1)].join('\n');
}

function isKind(value: string): value is WalkKind {
  return WALK_KINDS.some((kind) => kind === value);
}
