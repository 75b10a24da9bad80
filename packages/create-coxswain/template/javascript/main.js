import { outcomeOf, toolUsesOf } from 'coxswain';
import { ask } from './agent.js';

const stream = ask(process.argv[2] ?? 'Which test fails, and why?');
for await (const message of stream) {
  for (const { name, input } of toolUsesOf(message)) console.error(`· ${name} ${input.command ?? ''}`);
}
const outcome = outcomeOf(await stream.result()); // a result does not mean success
if (outcome.kind === 'completed') {
  console.log(outcome.text);
} else {
  console.error(`${outcome.kind}: ${outcome.message}`);
  process.exitCode = 1;
}
