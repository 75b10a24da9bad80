import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('tool-use', {
  about: 'One tool is called in the middle of an answer, then three in parallel.',
  agent: script().otherwise((turn) =>
    turn
      .say('Let me look.')
      .useTool('Bash', { command: 'echo hi' }, { result: 'hi' })
      .useTools([
        { name: 'Bash', input: { command: 'echo one' } },
        { name: 'Bash', input: { command: 'echo two' } },
        { name: 'Bash', input: { command: 'echo three' } },
      ])
      .say('That was all.'),
  ),
  play: (host) => host.query('Look.'),
});
