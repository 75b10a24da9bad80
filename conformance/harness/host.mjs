// Uses the SDK and dies in the requested way: host.mjs <how> <cli> <cwd>, with the CLI's environment as its own.
import { query } from 'coxswain';

const [how = '', cli = '', cwd = ''] = process.argv.slice(2);
const stream = query('run it', { cli, cwd, allowedTools: ['Bash'] });
void stream.collect().then(({ terminalError }) => process.stderr.write(`${terminalError?.message}\n`));

process.stdin.once('data', () => {
  if (how === 'exit') process.exit(3);
  if (how === 'throw') throw new Error('not caught');
  process.kill(process.pid, how);
});
