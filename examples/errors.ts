/** How to tell failures apart. A run that fails has an error code; a run that ends without success has an outcome. */
import { script } from '@coxswain/testkit';
import { isCoxswainError, outcomeOf, query } from 'coxswain';
import { pickAgent } from './agent.ts';

const unknownSession = '00000000-0000-4000-8000-000000000000';
const scripted = script()
  .sessions()
  .onPrompt('files', (turn) => turn.useTool('Bash', { command: 'ls' }, { result: 'README.md' }).say('One file.'))
  .otherwise((turn) => turn.say('Hello.'));
await using agent = await pickAgent(scripted);
const { cli } = agent;

// 1. The CLI is missing: the error lists every path that was searched.
await report('no CLI', () => query('Hello', { cli: '/no/such/place/claude' }).text());

// 2. The options are wrong: nothing starts, and the error lists every problem.
await report('bad options', () => query('Hello', { cli, maxTurns: -1, timeoutMs: 0 }).text());

// 3. The session does not exist: the CLI reports it in the result.
await report('no session', () => query('Hello', { cli, resume: unknownSession }).text());

// 4. The turn limit is reached: `result()` returns the result whatever its outcome, and `outcomeOf` classifies it.
const result = await query('Which files are here? Use ls.', { cli, maxTurns: 1 }).result();
console.log(`turn limit: ${outcomeOf(result).kind}`);

async function report(what: string, run: () => Promise<string>): Promise<void> {
  try {
    console.log(`${what}: no failure, but "${await run()}"`);
  } catch (error) {
    if (isCoxswainError(error, 'options')) {
      console.log(`${what}: ${error.problems.map(({ path }) => path).join(', ')}`);
    } else if (isCoxswainError(error, 'result')) {
      console.log(`${what}: ${outcomeOf(error.result).kind}`);
    } else if (isCoxswainError(error)) {
      console.log(`${what}: ${error.code}`);
    } else {
      throw error;
    }
  }
}
