/** A conversation: several turns in one process, with the cost of each. With `--real` you type the prompts; an empty line ends it. */
import { createInterface } from 'node:readline';
import { script } from '@coxswain/testkit';
import { openSession, outcomeOf } from 'coxswain';
import { pickAgent } from './agent.ts';

const scripted = script()
  .onPrompt('my boat', (turn) => turn.say('Aye. Ariel it is.').result({ costUsd: 0.01 }))
  .onPrompt('called', (turn) => turn.say('She is called Ariel.').result({ costUsd: 0.004 }))
  .otherwise((turn) => turn.maxTurns(1));
await using agent = await pickAgent(scripted);
await using session = openSession({ cli: agent.cli });

for await (const prompt of prompts()) {
  const turn = session.send(prompt);
  const outcome = outcomeOf(await turn.result());
  console.log(outcome.kind === 'completed' ? outcome.text : `(${outcome.kind}) ${outcome.message}`);
  const { costUsd, complete } = await turn.cost();
  console.log(`  $${costUsd.toFixed(3)}${complete ? '' : ' or more'}`);
}

async function* prompts(): AsyncGenerator<string> {
  if (process.argv[2] !== '--real') {
    yield* ['The name of my boat is Ariel.', 'What is she called?', 'And now row to Cape Horn.'];
    return;
  }
  process.stdout.write('> ');
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === '') return;
    yield line;
    process.stdout.write('> ');
  }
}
