import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('max-turns', {
  about: 'A turn reaches the turn limit; the count of the next one starts over.',
  agent: script()
    .onPrompt('on and on', (turn) => turn.useTool('Bash', { command: 'echo hi' }).say('Too late.'))
    .otherwise((turn) => turn.say('Here.')),
  play: (host) =>
    host.session({ maxTurns: 1 }, async (session) => {
      await session.send('Go on and on.').result();
      await session.send('Are you there?').result();
    }),
});
