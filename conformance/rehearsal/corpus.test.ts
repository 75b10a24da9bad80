import { diff, perform, rehearse, rehearseAll, type Scenario, type Trace } from '@coxswain/rehearsal';
import { beforeAll, describe, expect, it } from 'vitest';
import { aScenario, step } from '../../packages/rehearsal/test/a-scenario.ts';
import { LONG_FORM } from '../../packages/sdk/test/support/long-form.ts';
import { pinnedVersion, realCli } from '../harness/real-cli.ts';
import { AGENT, CHANGES, corpus } from './corpus.ts';
import { expectedOf, foundIn } from './planted.ts';

const cli = realCli();
const COUNT = LONG_FORM ? 200 : 10;

describe(`${COUNT} generated conversations`, () => {
  const scenarios = corpus(COUNT);
  const before = new Map<string, Trace>();

  beforeAll(async () => {
    for (const one of await rehearseAll(scenarios, { agent: AGENT, cli })) {
      if ('after' in one) before.set(one.scenario, one.after);
    }
  }, 1_800_000);

  it(`[N-3, N-5] have no difference and no gap without a change (${pinnedVersion})`, {
    timeout: 1_800_000,
  }, async () => {
    const again = await rehearseAll(scenarios, { agent: AGENT, cli });
    const found = again.map((one) => ('after' in one ? [...diff(traceOf(one.scenario), one.after), ...one.gaps] : one));
    expect(found).toEqual(scenarios.map(() => []));
  });

  it.each(CHANGES)(
    `[N-4] $name gives exactly its differences (${pinnedVersion})`,
    { timeout: 1_800_000 },
    async (planted) => {
      const isConcerned = (scenario: Scenario): boolean => expectedOf(planted, scenario).length > 0;
      const concerned = scenarios.find(isConcerned);
      const own = scenarios.filter(
        (scenario, index) => scenario === concerned || index % CHANGES.length === CHANGES.indexOf(planted),
      );
      // A change that affects no call would prove nothing.
      expect(own.some(isConcerned)).toBe(true);
      for (const scenario of own) {
        const after = await perform(scenario, { agent: planted.agent, cli });
        expect(foundIn(traceOf(scenario.name), after)).toEqual(expectedOf(planted, scenario));
      }
    },
  );

  function traceOf(name: string): Trace {
    const trace = before.get(name);
    if (trace === undefined) throw new Error(`${name} was not rehearsed.`);
    return trace;
  }
});

describe('the speed of rehearsals', () => {
  const [conversations, calls] = LONG_FORM ? [20, 50] : [2, 10];

  it(`[N-11] rehearses ${conversations * calls} recorded calls, and prints the time (${pinnedVersion})`, {
    timeout: 600_000,
  }, async () => {
    const scenarios = Array.from({ length: conversations }, (_, n) =>
      aScenario([Array.from({ length: calls }, (_, at) => step('Bash', { command: `npm run step-${n}-${at}` }))]),
    );
    await rehearse(aScenario([[]]), { agent: AGENT, cli });
    const start = performance.now();
    const results = await rehearseAll(scenarios, { agent: AGENT, cli });
    const seconds = (performance.now() - start) / 1000;
    process.stdout.write(`${conversations * calls} recorded calls rehearsed in ${seconds.toFixed(1)} s\n`);
    const after = results.flatMap((one) => ('after' in one ? one.after.calls : []));
    expect(after.map(({ outcome }) => outcome)).toEqual(Array(conversations * calls).fill('ran'));
  });
});
