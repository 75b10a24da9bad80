// The scenarios of packages/sdk/test/faults, by group, for bundle.mjs.
import { answers } from '../../packages/sdk/test/faults/scenarios/answers.ts';
import { callbacks } from '../../packages/sdk/test/faults/scenarios/callbacks.ts';
import { decoding } from '../../packages/sdk/test/faults/scenarios/decoding.ts';
import { exits } from '../../packages/sdk/test/faults/scenarios/exits.ts';
import { floods } from '../../packages/sdk/test/faults/scenarios/floods.ts';
import { framing } from '../../packages/sdk/test/faults/scenarios/framing.ts';
import { handshake } from '../../packages/sdk/test/faults/scenarios/handshake.ts';
import { optionValues } from '../../packages/sdk/test/faults/scenarios/options.ts';
import { pipes, stubborn } from '../../packages/sdk/test/faults/scenarios/pipes.ts';
import { reentrant } from '../../packages/sdk/test/faults/scenarios/reentrant.ts';

export { cliOf } from '../../packages/sdk/test/faults/faulty-cli.ts';
export { SECRETS } from '../../packages/sdk/test/faults/scenario.ts';

const GROUPS = {
  framing,
  decoding,
  floods,
  exits,
  handshake,
  answers,
  pipes,
  'stubborn and slow': stubborn,
  'option values': optionValues,
  callbacks,
  'callbacks into the session': reentrant,
};

/** All scenarios, each with its group. */
export const scenarios = Object.entries(GROUPS).flatMap(([group, list]) =>
  list.map((scenario) => ({ ...scenario, group })),
);
