/** Interrupts a turn, not the session: the history stays, and the next turn follows. */
import { script } from '@coxswain/testkit';
import { openSession, outcomeOf, textDeltaOf } from 'coxswain';
import { pickAgent } from './agent.ts';

const scripted = script()
  .onPrompt('Count', (turn) => turn.say('one two three four five six seven eight nine ten', { everyMs: 20 }).silence())
  .otherwise((turn) => turn.say('You stopped me while I was counting.'));
await using agent = await pickAgent(scripted);
await using session = openSession({ cli: agent.cli, includePartialMessages: true });

const counting = session.send(agent.prompt ?? 'Count to a thousand, in words.');
const waiting = session.send('This one waits for its turn.');
for await (const message of counting) {
  const words = textDeltaOf(message);
  process.stdout.write(words);
  if (words.includes('three')) break; // Leaves the loop; the turn keeps running.
}

// A queued turn is cancelled before it is sent; the running turn ends with a result.
await waiting.interrupt();
await counting.interrupt();
await waiting.text().catch((error) => console.log(`\nwaiting: ${error.code}`));
console.log(`counting: ${outcomeOf(await counting.result()).kind}`);

console.log(await session.send('What happened?').text());
