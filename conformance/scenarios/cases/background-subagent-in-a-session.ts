import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('background-subagent-in-a-session', {
  about: 'A session with a subagent in the background.',
  subagentsWaitFor: 'result success',
  agent: script().otherwise((turn) =>
    turn
      .runAgentInBackground(
        { description: 'look', prompt: 'Look around.' },
        (agent) => agent.say('Nothing there.'),
        (after) => after.say('It has come back.'),
      )
      .say('Somebody is under way.'),
  ),
  play: (host) =>
    host.session({}, async (session) => {
      await session.send('Send somebody.').result();
      await host.until('result success', 2);
    }),
});
