// A program that opens a session and dies as requested: host.mjs <how> <cli> <cwd> [ponder [sessions]], with the CLI's
// environment as its own. With `ponder` a guard runs for each tool, writes `asked` and never answers.
import { openSession } from 'coxswain';

const [how = '', cli = '', cwd = '', guard, sessions = '1'] = process.argv.slice(2);
const ponder = () => {
  process.stdout.write('asked\n');
  return new Promise(() => {});
};
const hooks = guard === 'ponder' ? { PreToolUse: { run: ponder } } : {};
const held = []; // An unreferenced session is ended when it is garbage-collected.
for (let count = 0; count < Number(sessions); count++) {
  const session = openSession({ cli, cwd, allowedTools: ['Bash'], hooks });
  held.push(session);
  void session
    .send('run it')
    .collect()
    .then(({ terminalError }) => process.stderr.write(`${terminalError?.message}\n`));
}

process.stdin.once('data', () => {
  if (how === 'exit') process.exit(3);
  if (how === 'throw') throw new Error('not caught');
  process.kill(process.pid, how);
});
