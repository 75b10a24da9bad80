import { faults, inMemoryCli, script } from '@coxswain/testkit';
import { deny, isCoxswainError, query } from 'coxswain';

// #region places
const agent = script()
  .fault(faults.split(7)) // from the start
  .fault(faults.stderr('low on memory\n'), { when: 'prompt' }) // whenever a prompt arrives
  .fault(faults.exit(9), { when: 'hook', nth: 2 }) // at the second hook request
  .onPrompt('weather', (turn) => turn.say('Let me look.').fault(faults.garbage()).say('Sunny.')) // at this step
  .otherwise((turn) => turn.useTool('Bash', { command: 'date' }).useTool('Bash', { command: 'make' }).say('Done.'));
// #endregion

const weather = await query('How is the weather?', { transport: inMemoryCli(agent).transport }).collect();
console.log(`${weather.messages.length} messages, ${weather.errors.map(({ code }) => code)}`);

// #region guard
const { transport, runs } = inMemoryCli(agent);
const { terminalError } = await query('Build it.', {
  transport,
  hooks: { PreToolUse: ({ tool_input }) => (JSON.stringify(tool_input).includes('make') ? deny('Not now.') : {}) },
}).collect();
console.log(isCoxswainError(terminalError, 'process')); // true: the CLI exited while the guard was running
console.log(runs()[0]?.tools); // date ran, make did not
// #endregion
