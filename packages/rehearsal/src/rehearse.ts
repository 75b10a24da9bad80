import { diff, undecided } from './diff/diff.ts';
import type { Difference } from './diff/difference.ts';
import type { Gap, Scenario } from './scenario/scenario.ts';
import { perform } from './stage/perform.ts';
import { recordedTrace } from './stage/performed-trace.ts';
import type { Stage } from './stage/stage.ts';
import type { Trace } from './trace/trace.ts';

/** A scenario that was rehearsed: both traces, and their differences. */
export interface Rehearsal {
  readonly scenario: string;
  readonly before: Trace;
  readonly after: Trace;
  readonly differences: readonly Difference[];
  /** What was not rehearsed, and calls that could not be decided. */
  readonly gaps: readonly Gap[];
}

/** How to rehearse. */
export interface RehearseOptions {
  /** Compares with this stage instead of the recording. */
  readonly against?: Stage | undefined;
  /** After a difference in a turn: `continue` compares its later calls too (the default), `stop` leaves them out. */
  readonly onDivergence?: 'continue' | 'stop' | undefined;
}

/** Rehearses a scenario on a stage, and compares with the recording or another stage. @throws RehearsalError */
export async function rehearse(
  scenario: Scenario,
  stage: Stage = {},
  options: RehearseOptions = {},
): Promise<Rehearsal> {
  const { against, onDivergence = 'continue' } = options;
  const before = against === undefined ? recordedTrace(scenario) : await perform(scenario, against);
  const after = await perform(scenario, stage);
  const all = diff(before, after);
  const differences = onDivergence === 'stop' ? all.filter(({ afterDivergence }) => !afterDivergence) : all;
  const left = undecided(before, after).map(({ id, tool, input, turn }) => ({
    what: `${tool} ${input}: the workspace lacks files of the recording`,
    call: id,
    ...(turn === undefined ? {} : { turn }),
  }));
  return { scenario: scenario.name, before, after, differences, gaps: [...after.gaps, ...left] };
}

/** How to rehearse many scenarios. */
export interface RehearseAllOptions extends RehearseOptions {
  /** How many conversations run at the same time. Default: 2. */
  readonly concurrency?: number | undefined;
  /** Called after each conversation. */
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
}

/** Rehearses many scenarios; one that cannot run does not stop the others. The results are in the order of the scenarios. */
export async function rehearseAll(
  scenarios: readonly Scenario[],
  stage: Stage = {},
  options: RehearseAllOptions = {},
): Promise<readonly (Rehearsal | FailedRehearsal)[]> {
  const { concurrency = 2, onProgress, ...each } = options;
  const results: (Rehearsal | FailedRehearsal)[] = [];
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < scenarios.length; index = next++) {
      const scenario = scenarios[index];
      if (scenario === undefined) return;
      results[index] = await rehearse(scenario, stage, each).catch((error: unknown) => ({
        scenario: scenario.name,
        failure: error instanceof Error ? error.message : String(error),
      }));
      done += 1;
      onProgress?.(done, scenarios.length);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, concurrency) }, work));
  return results;
}

/** A scenario that could not be rehearsed. */
export interface FailedRehearsal {
  readonly scenario: string;
  readonly failure: string;
}
