import { script } from '@coxswain/testkit';
import { context, deny, modify, stop } from 'coxswain';
import { scenario } from '../scenario.ts';

export default scenario('hooks-around-tools', {
  about: 'Hooks refuse a call, change an input, add context, say something to the user and end the turn.',
  agent: script().otherwise((turn) => turn.useTool('Bash', { command: 'echo hi' }).say('I see.')),
  async play(host) {
    const before = [deny('Not today.'), modify({ command: 'echo other' }), { systemMessage: 'Careful.' }];
    const after = [context('It is late.'), stop('Enough.')];
    const hooks = { PreToolUse: () => before.shift() ?? {}, PostToolUse: () => after.shift() ?? {} };
    await host.session({ hooks }, async (session) => {
      await session.send('Run it.').result();
      await session.send('Run something.').result();
      await session.send('Run it for good.').result();
    });
  },
});
