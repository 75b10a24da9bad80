import { basename } from 'node:path';
import { type RecordedRun, readCassette } from '@coxswain/testkit';
import { RehearsalError } from '../rehearsal-error.ts';
import { cassetteEntries } from './cassette-entries.ts';
import { fromEntries } from './from-entries.ts';
import { checkRegular } from './regular-text.ts';
import { callsOf, type Scenario } from './scenario.ts';
import type { TranscriptOptions } from './transcript-options.ts';

/**
 * Reads a cassette of the test kit: one scenario for each of its runs that has a prompt. The cassette also contains who decided about a
 * call, which older transcripts do not.
 * @throws RehearsalError if it is not a whole cassette, contains no prompt or has too many calls
 */
export async function fromCassette(path: string, options: TranscriptOptions = {}): Promise<readonly Scenario[]> {
  const { name = basename(path), maxCalls = 2_000 } = options;
  const runs = await runsOf(path);
  const scenarios = runs
    .map((run) => scenarioOf(runs.length === 1 ? name : `${name}, run ${run.header.run}`, run))
    .filter(({ turns }) => turns.length > 0);
  if (scenarios.length === 0) throw new RehearsalError('unreadable', `${name} contains no prompt.`);
  for (const scenario of scenarios) {
    const calls = callsOf(scenario).length;
    if (calls > maxCalls) {
      throw new RehearsalError(
        'too-large',
        `${name} has ${calls} tool calls; at most ${maxCalls} are rehearsed at once.`,
      );
    }
  }
  return scenarios;
}

async function runsOf(path: string): Promise<readonly RecordedRun[]> {
  await checkRegular(path);
  try {
    return await readCassette(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RehearsalError('unreadable', `${path} cannot be rehearsed: ${reason}`, error);
  }
}

function scenarioOf(name: string, run: RecordedRun): Scenario {
  const { main, agents, gaps } = cassetteEntries(run);
  const scenario = fromEntries(name, main, agents);
  // A cassette has marks instead of the folders of its machine.
  return { ...scenario, cwd: '<<coxswain:cwd>>', home: '<<coxswain:home>>', gaps: [...gaps, ...scenario.gaps] };
}
