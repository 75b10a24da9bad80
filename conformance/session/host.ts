// A program that keeps a session and dies as it is told to: host.ts <how> <cli> <cwd>, with the CLI's environment as its own.
import { startSession } from '../../packages/sdk/src/index.ts';

const [how = '', cli = '', cwd = ''] = process.argv.slice(2);
const session = await startSession({ cli, cwd, allowedTools: ['Bash'] });
void session
  .send('run it')
  .collect()
  .then(({ terminalError }) => process.stderr.write(`${terminalError?.message}\n`));

process.stdin.once('data', () => {
  if (how === 'exit') process.exit(3);
  process.kill(process.pid, how);
});
