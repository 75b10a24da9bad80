/** Prints the answer while the model writes it. */
import { script } from '@coxswain/testkit';
import { query, textDeltaOf } from 'coxswain';
import { pickAgent } from './agent.ts';

const scripted = script()
  .pace(5)
  .otherwise((turn) => turn.think('Short, and in order.').say('Catch, drive, finish, recovery.'));
await using agent = await pickAgent(scripted);

const stream = query(agent.prompt ?? 'Name the four phases of the rowing stroke.', {
  cli: agent.cli,
  includePartialMessages: true,
});
for await (const message of stream) process.stdout.write(textDeltaOf(message));
process.stdout.write('\n');

// A stream can be read once; its result is available at any time.
const result = await stream.result();
console.log(`${result.num_turns} turn, ${stream.warnings.length} warnings`);
