import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('interrupted-before-output', {
  about: 'A turn is interrupted before the model has written anything.',
  agent: script().otherwise((turn) => turn.silence()),
  play: (host) =>
    host.session({}, async (session) => {
      const turn = session.send('Say something.');
      await host.until('system init');
      await session.interrupt();
      await turn.result();
    }),
});
