import type { Transport } from 'coxswain/transport';
import {
  type AgentStep,
  type ContractAgent,
  floodLine,
  inMemoryCli,
  type Script,
  type StagedTransport,
  script,
  type TransportBench,
  type TurnScript,
} from '../../src/index.ts';
import { printedBy } from '../../src/transport-contract/agent.ts';

/** Plays the agents of the contract as scripts in memory; `wrap` puts another transport around them. */
export function scriptedBench(wrap: (inner: () => Transport) => () => Transport): TransportBench {
  return {
    open: (agent): StagedTransport => ({
      transport: wrap(inMemoryCli(scriptOf(agent)).transport)(),
      request: {
        argv: ['claude', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
        env: {},
        cwd: undefined,
        privateFiles: [],
      },
    }),
    // A script is not a process, reads everything at once, and merges simultaneous prompts like the real CLI.
    cannot: ['see-start', 'full-input', 'lines-at-once'],
    holdsBytes: 256 * 1024,
  };
}

/** The steps up to the first expected line run at the start; each expected line is a prompt. */
function scriptOf({ steps }: ContractAgent): Script {
  const agent = script();
  const prompts = steps.flatMap((step, index) => ('expect' in step ? [{ text: step.expect, index }] : []));
  const first = steps.slice(0, prompts[0]?.index);
  if (first.some((step) => 'ignore' in step)) agent.ignore('SIGINT', 'SIGTERM');
  agent.atStart((turn) => first.reduce(take, turn));
  prompts.forEach(({ text, index }, number) => {
    const then = steps.slice(index + 1, prompts[number + 1]?.index);
    agent.onPrompt(text, (turn) => then.reduce(take, turn));
  });
  return agent;
}

function take(turn: TurnScript, step: AgentStep): TurnScript {
  if ('print' in step) return turn.bytes(printedBy(step));
  if ('complain' in step) return turn.stderr(step.complain);
  if ('flood' in step) {
    // Bytes are written one by one; queued lines would go out in one piece.
    for (let n = 0; n < step.flood; n++) turn.bytes(Buffer.from(floodLine(n)));
    return turn;
  }
  return 'exit' in step ? turn.exit(step.exit) : turn;
}
