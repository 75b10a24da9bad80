import { inMemoryCli, script, scriptedCli } from '@coxswain/testkit';
import type { AgentOptions } from '../../src/options/option-types.ts';
import { cliPath } from '../support/say.ts';
import { script as shell } from '../support/say-script.ts';
import { type Got, type Scenario, SPILL } from './scenario.ts';

/** `process` for faults that involve a process; `memory` for those that only concern frames and callbacks. */
export type Place = 'process' | 'memory';

/** The CLI of a scenario: the options that select it, and its input. */
export interface FaultyCli extends AsyncDisposable {
  readonly options: AgentOptions;
  runs?(): Promise<readonly Got[]>;
}

/** Creates the CLI of a scenario. Each CLI first writes the secrets to its stderr. */
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
