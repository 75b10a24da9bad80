// npm run do -- rehearsal:measure [--conversations 200 --skip 0 --calls 1000 --jobs 2]: rehearses generated conversations without a change and with
// each of ten planted changes, compares every difference with what the change must cause, and times 1,000 recorded calls.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { type Rehearsal, rehearseAll, type Scenario, type Trace } from '@coxswain/rehearsal';
import type { AgentOptions } from 'coxswain';
import { aScenario, step } from '../../packages/rehearsal/test/a-scenario.ts';
import { pinnedVersion, realCli } from '../harness/real-cli.ts';
import { AGENT, CHANGES, corpus } from './corpus.ts';
import { expectedOf, foundIn } from './planted.ts';

const { values } = parseArgs({
  options: {
    conversations: { type: 'string', default: '200' },
    skip: { type: 'string', default: '0' },
    calls: { type: 'string', default: '1000' },
    jobs: { type: 'string', default: '2' },
  },
});
const [conversations = 0, skip = 0, calls = 0, concurrency = 2] = [
  ...[values.conversations, values.skip, values.calls, values.jobs].map(Number),
];
const cli = realCli();
let wrong = 0;

console.log(`${pinnedVersion}, ${concurrency} jobs\n`);
if (calls > 0) await time(calls);
if (conversations > 0) await compareAll(corpus(skip + conversations).slice(skip));
if (wrong > 0) {
  console.error(`${wrong} conversations have other differences than the planted ones.`);
  process.exitCode = 1;
}

/** Rehearses recorded calls in conversations of 50. */
async function time(count: number): Promise<void> {
  const scenarios = Array.from({ length: Math.ceil(count / 50) }, (_, n) =>
    aScenario([
      Array.from({ length: Math.min(50, count - n * 50) }, (_, at) =>
        step('Bash', { command: `npm run step-${n}-${at}` }),
      ),
    ]),
  );
  await rehearseAll([aScenario([[]])], { agent: AGENT, cli });
  const [start, cpu] = [performance.now(), cpuSeconds()];
  const results = await rehearseAll(scenarios, { agent: AGENT, cli }, { concurrency });
  const ran = results
    .flatMap((one) => ('after' in one ? one.after.calls : []))
    .filter(({ outcome }) => outcome === 'ran');
  console.log(`${ran.length} of ${count} recorded calls ran as recorded: ${since(start, cpu)}\n`);
  if (ran.length !== count) wrong += 1;
}

async function compareAll(scenarios: readonly Scenario[]): Promise<void> {
  const [start, cpu] = [performance.now(), cpuSeconds()];
  const before = new Map((await perform(scenarios, AGENT)).map((trace) => [trace.scenario, trace]));
  console.log('| change | conversations | differences expected | found | exactly |\n| --- | --- | --- | --- | --- |');
  for (const planted of [{ name: 'none', agent: AGENT, concerns: () => false, change: '' }, ...CHANGES]) {
    const after = await perform(scenarios, planted.agent);
    const compared = after.map((trace, index) => {
      const [earlier, scenario] = [before.get(trace.scenario), scenarios[index]];
      if (earlier === undefined || scenario === undefined) throw new Error(`${trace.scenario} was not rehearsed.`);
      return { expected: expectedOf(planted, scenario), found: foundIn(earlier, trace) };
    });
    const exact = compared.filter(({ expected, found }) => JSON.stringify(expected) === JSON.stringify(found)).length;
    wrong += compared.length - exact;
    const sum = (of: 'expected' | 'found'): number => compared.reduce((all, one) => all + one[of].length, 0);
    console.log(`| ${planted.name} | ${compared.length} | ${sum('expected')} | ${sum('found')} | ${exact} |`);
  }
  const count = scenarios.length * (CHANGES.length + 2);
  console.log(`\n${count} conversations rehearsed: ${since(start, cpu)}`);
}

async function perform(scenarios: readonly Scenario[], agent: AgentOptions): Promise<readonly Trace[]> {
  const results = await rehearseAll(scenarios, { agent, cli }, { concurrency });
  for (const one of results) if (!('after' in one)) throw new Error(`${one.scenario}: ${one.failure}`);
  return results.filter((one): one is Rehearsal => 'after' in one).map(({ after }) => after);
}

function since(start: number, cpu: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s, ${(cpuSeconds() - cpu).toFixed(1)} s of CPU`;
}

/** The time on a CPU of this process and of the children that have ended, in seconds; 0 where `/proc` is missing. */
function cpuSeconds(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
  } catch {
    return 0;
  }
}
