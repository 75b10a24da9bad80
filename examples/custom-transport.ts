/** Runs the CLI somewhere else: here at the other end of a local shell, which stands for ssh or docker. */
import { script } from '@coxswain/testkit';
import { query } from 'coxswain';
import { pickAgent } from './agent.ts';
import { localShell, ShellTransport } from './shell-transport.ts';

const scripted = script().otherwise((turn) =>
  turn.useTool('Bash', { command: 'hostname' }, { result: 'ariel', permission: 'allow' }).say('This is ariel.'),
);
await using agent = await pickAgent(scripted);
const cli = agent.cli === 'auto' ? (process.env.COXSWAIN_CLI ?? 'claude') : agent.cli;

// #region use
const transport = (): ShellTransport => new ShellTransport(localShell, cli);
const stream = query(agent.prompt ?? 'Which machine is this?', {
  transport, // a function: every run starts a transport of its own
  cwd: '/', // a folder on that machine
  inheritEnv: ['ANTHROPIC_*'], // not the variables of this machine
});
console.log(await stream.text());
// #endregion
console.log((await stream.closed).exitCode);
