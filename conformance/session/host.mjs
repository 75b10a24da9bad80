// A program that keeps a session and dies as it is told to: host.mjs <how> <cli> <cwd> [ponder], with the CLI's environment as
// its own. With `ponder` a guard is asked about each tool, writes `asked` and never answers.
import { startSession } from 'coxswain';

const [how = '', cli = '', cwd = '', guard] = process.argv.slice(2);
const ponder = () => {
  process.stdout.write('asked\n');
  return new Promise(() => {});
};
const hooks = guard === 'ponder' ? { PreToolUse: { run: ponder } } : {};
const session = await startSession({ cli, cwd, allowedTools: ['Bash'], hooks });
void session
  .send('run it')
  .collect()
  .then(({ terminalError }) => process.stderr.write(`${terminalError?.message}\n`));

process.stdin.once('data', () => {
  if (how === 'exit') process.exit(3);
  if (how === 'throw') throw new Error('not caught');
  process.kill(process.pid, how);
});
