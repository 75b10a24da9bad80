/** Runs the CLI on another machine; here a local shell stands in for ssh or docker. */
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
  transport, // a function: every run needs its own transport
  cwd: '/', // a directory on that machine
  inheritEnv: ['ANTHROPIC_*'], // do not pass this machine's variables
});
console.log(await stream.text());
// #endregion
console.log((await stream.closed).exitCode);
