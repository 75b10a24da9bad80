// #region query
import { outcomeOf, query, toolUsesOf } from 'coxswain';

const options = { allowedTools: ['Read', 'Grep', 'Bash(npm test)'], maxTurns: 20, timeoutMs: 300_000 };
const stream = query('Which test fails, and why?', options);
for await (const message of stream) {
  for (const call of toolUsesOf(message)) console.log(call.name, call.input);
}
const outcome = outcomeOf(await stream.result());
console.log(outcome.kind === 'completed' ? outcome.text : `${outcome.kind}: ${outcome.message}`);
// #endregion
