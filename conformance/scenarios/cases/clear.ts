import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('clear', {
  about: '`/clear`, with its hooks.',
  agent: script().otherwise((turn) => turn.say('Here.')),
  play: (host) =>
    host.session({ hooks: { SessionStart: () => ({}), SessionEnd: () => ({}) } }, async (session) => {
      await session.send('Are you there?').result();
      await session.clear();
      await session.send('Still there?').result();
    }),
});
