import { script } from '@coxswain/testkit';
import { addContext, deny, modifyInput, stopTurn } from 'coxswain';
import { scenario } from '../scenario.ts';

export default scenario('hooks-around-tools', {
  about: 'Hooks refuse a call, change an input, add context, send a message to the user and end the turn.',
  agent: script().otherwise((turn) => turn.useTool('Bash', { command: 'echo hi' }).say('I see.')),
  async play(host) {
    const before = [deny('Not today.'), modifyInput({ command: 'echo other' }), { systemMessage: 'Careful.' }];
    const after = [addContext('It is late.'), stopTurn('Enough.')];
    const hooks = { PreToolUse: () => before.shift() ?? {}, PostToolUse: () => after.shift() ?? {} };
    await host.session({ hooks }, async (session) => {
      await session.send('Run it.').result();
      await session.send('Run something.').result();
      await session.send('Run it for good.').result();
    });
  },
});
