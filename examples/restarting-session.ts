/** A session that restarts its CLI: the process dies in the middle of a turn, and the conversation continues. */
import { script } from '@coxswain/testkit';
import { isCoxswainError, openSession } from 'coxswain';
import { pickAgent } from './agent.ts';

const scripted = script()
  .onPrompt('name of my boat', (turn) => turn.say('Aye. Ariel it is.'))
  // The first process dies here; the second one answers.
  .onPrompt('Row', (turn) => turn.say('Catch, drive').crash(), { inRun: 1 })
  .onPrompt('Row', (turn) => turn.say('Catch, drive, finish, recovery.'))
  .otherwise((turn) => turn.say('She is called Ariel.'));
await using agent = await pickAgent(scripted);

// #region restart
await using session = openSession({
  cli: agent.cli,
  onEvent: (event) => {
    if (event.type === 'restarting') console.log(`the CLI died (${event.cause?.signal}), attempt ${event.attempt}`);
    if (event.type === 'restarted') console.log(event.resumed ? 'resumed' : 'started without resume');
  },
  restart: { maxRestarts: 5, windowMs: 60_000, delayMs: 100 },
});
// #endregion

console.log(await session.send('The name of my boat is Ariel.').text());

// #region cut
const cut = session.send('Row a stroke, in words.');
const next = session.send('What is my boat called?'); // waits; goes to the new CLI if this one dies
try {
  console.log(await cut.text());
} catch (error) {
  if (!isCoxswainError(error, 'turn-interrupted')) throw error;
  console.log(`cut off after: ${error.text}`); // also error.messages and error.cause
  console.log(await session.send('Row a stroke, in words.').text()); // this prompt has no side effects, so it may run twice
}
console.log(await next.text());
// #endregion

console.log(`${session.restarts} restart, ${session.state}`);
