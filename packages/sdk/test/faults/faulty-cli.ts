import { inMemoryCli, script, scriptedCli } from '@coxswain/testkit';
import type { AgentOptions } from '../../src/options/option-types.ts';
import { cliPath } from '../support/say.ts';
import { script as shell } from '../support/say-script.ts';
import { type Got, type Scenario, SPILL } from './scenario.ts';

/** A process for everything that has to do with one; in memory what is only about frames and callbacks. */
export type Place = 'process' | 'memory';

/** The CLI of a scenario: the options that lead to it, and what it got. */
export interface FaultyCli extends AsyncDisposable {
  readonly options: AgentOptions;
  runs?(): Promise<readonly Got[]>;
}

/** Makes the CLI of a scenario. Each spills the secrets to its stderr before anything else. */
export async function cliOf({ agent, steps }: Scenario, place: Place): Promise<FaultyCli> {
  if (steps) {
    const env = { SAY: shell([{ err: `spilled ${SPILL}\n` }, ...steps]) };
    return { options: { cli: cliPath('say.sh'), env }, [Symbol.asyncDispose]: async () => {} };
  }
  const begun = script()
    .atStart((turn) => turn.stderr(`spilled ${SPILL}\n`))
    .onPrompt(/^again$/, (turn) => turn.say('still here'));
  const whole = (agent?.(begun) ?? begun).otherwise((turn) => turn.say('ok'));
  if (place === 'memory') {
    const { transport, runs } = inMemoryCli(whole);
    return { options: { transport }, runs: async () => runs(), [Symbol.asyncDispose]: async () => {} };
  }
  const cli = await scriptedCli(whole);
  return {
    options: { cli: cli.path },
    runs: () => cli.runs(),
    [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose](),
  };
}
