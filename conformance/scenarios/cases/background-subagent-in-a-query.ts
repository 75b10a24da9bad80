import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('background-subagent-in-a-query', {
  about: 'A one-shot query with a subagent in the background.',
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
