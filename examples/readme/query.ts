// #region query
import { outcomeOf, query, toolUsesOf } from 'coxswain';

const stream = query('Which test fails, and why?', {
  allowedTools: ['Read', 'Grep', 'Bash(npm test)'],
  maxTurns: 20,
  timeoutMs: 5 * 60_000,
});
for await (const message of stream) {
  for (const call of toolUsesOf(message)) console.log(call.name, call.input);
}
const outcome = outcomeOf(await stream.result());
console.log(outcome.kind === 'completed' ? outcome.text : `${outcome.kind}: ${outcome.message}`);
// #endregion
