import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('background-command', {
  about: 'A command outlives its turn.',
  agent: script().otherwise((turn) =>
    turn
      .runInBackground('until [ -e go ]; do sleep 0.1; done', {}, (after) => after.say('It is done.'))
      .say('It is under way.'),
  ),
  async play(host) {
    const over = host.query('Start it.', { allowedTools: ['Bash'] });
    await host.until('result success');
    await host.touch('go');
    await over;
  },
});
