/** A guard for every shell command. A command it denies does not run, and if the guard fails, no command runs. */
import { script } from '@coxswain/testkit';
import { deny, type HookInputs, type HookRun, query } from 'coxswain';
import { pickAgent } from './agent.ts';

const scripted = script()
  .onPrompt('clean up', (turn) =>
    turn
      .useTool('Bash', { command: 'ls' }, { result: 'build  notes.md' })
      .useTool('Bash', { command: 'rm -rf build' })
      .say('There is a folder build, but I may not remove it.'),
  )
  .otherwise((turn) => turn.useTool('Bash', { command: 'ls' }).say('I may not even look.'));
await using agent = await pickAgent(scripted);
const { cli } = agent;

/** What may run, word for word. A pattern of what may not run, such as `rm`, misses `find -delete` and many others. */
const COMMANDS = ['ls', 'git status'];

const onlyTheseCommands: HookRun<HookInputs['PreToolUse']> = (input) => {
  if (input.tool_name !== 'Bash') return deny('Only shell commands here.');
  const { command } = input.tool_input;
  const passes = COMMANDS.includes(command);
  console.log(`${passes ? 'passed' : 'refused'}: ${command}`);
  return passes ? undefined : deny(`Only these commands run here: ${COMMANDS.join(', ')}.`);
};

// A callback needs a two-way connection to the CLI; `query` sets it up.
const guarded = query(agent.prompt ?? 'List the files here, then clean up with rm.', {
  cli,
  allowedTools: ['Bash'],
  hooks: { PreToolUse: { matcher: 'Bash', run: onlyTheseCommands, onFailure: 'block' } },
});
console.log(await guarded.text());

// By default a hook that throws lets the tool run, as the CLI's own hooks do. A guard needs onFailure: 'block'.
const broken = query('List the files here with ls.', {
  cli,
  allowedTools: ['Bash'],
  hooks: {
    PreToolUse: {
      matcher: 'Bash',
      onFailure: 'block',
      run: () => {
        throw new Error('the policy server is down');
      },
    },
  },
  onWarning: ({ code, context }) => {
    if (code === 'hook-failed') console.log(`guard broke (${context.cause}): ${context.policy}`);
  },
});
console.log(await broken.text());
