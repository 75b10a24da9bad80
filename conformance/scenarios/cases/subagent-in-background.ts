import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('subagent-in-background', {
  about: 'A one-shot whose subagent works in the background.',
  subagentsWaitFor: 'assistant text',
  agent: script().otherwise((turn) =>
    turn
      .runAgentInBackground(
        { description: 'look', prompt: 'Look around.' },
        (agent) => agent.say('Nothing there.'),
        (after) => after.say('It has come back.'),
      )
      .say('Somebody is under way.'),
  ),
  play: (host) => host.query('Send somebody.'),
});
