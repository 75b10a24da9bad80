import { faults, inMemoryCli, script } from '@coxswain/testkit';
import { deny, isCoxswainError, query } from 'coxswain';

// #region places
const agent = script()
  .fault(faults.split(7)) // from the start
  .fault(faults.stderr('low on memory\n'), { when: 'prompt' }) // whenever a prompt comes
  .fault(faults.exit(9), { when: 'hook', nth: 2 }) // when the second hook is asked for
  .onPrompt('weather', (turn) => turn.say('Let me look.').fault(faults.garbage()).say('Sunny.')) // at its place
  .otherwise((turn) => turn.useTool('Bash', { command: 'date' }).useTool('Bash', { command: 'make' }).say('Done.'));
// #endregion

const weather = await query('How is the weather?', { transport: inMemoryCli(agent).transport }).collect();
console.log(`${weather.items.length} messages, ${weather.errors.map(({ code }) => code)}`);

// #region guard
const { transport, runs } = inMemoryCli(agent);
const { terminalError } = await query('Build it.', {
  transport,
  hooks: { PreToolUse: ({ tool_input }) => (JSON.stringify(tool_input).includes('make') ? deny('Not now.') : {}) },
}).collect();
console.log(isCoxswainError(terminalError) && terminalError.code); // 'process': the CLI left while the guard was asked
console.log(runs()[0]?.tools); // date ran, make did not
// #endregion
