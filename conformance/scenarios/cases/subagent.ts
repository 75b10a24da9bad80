import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('subagent', {
  about: 'A subagent works in the foreground, with its hooks.',
  agent: script().otherwise((turn) =>
    turn
      .useAgent({ description: 'look', prompt: 'Look around.' }, (agent) =>
        agent.useTool('Bash', { command: 'echo around' }).say('Nothing there.'),
      )
      .say('Nothing was found.'),
  ),
  play: (host) =>
    host.session({ hooks: { SubagentStart: () => ({}), SubagentStop: () => ({}) } }, async (session) => {
      await session.send('Send somebody.').result();
    }),
});
