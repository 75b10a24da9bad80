// #region main
import { outcomeOf, toolUsesOf } from 'coxswain';
import { releaseNotes } from './agent.ts';

const stream = releaseNotes(process.argv[2] ?? 'v1.0.0');
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
// #endregion
