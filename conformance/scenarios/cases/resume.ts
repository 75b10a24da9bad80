import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('resume', {
  about: 'A session is resumed in another process.',
  agent: script().otherwise((turn) => turn.say('I remember.')),
  async play(host) {
    const id = '11111111-1111-4111-8111-111111111111';
    await host.query('Remember this.', { sessionId: id });
    await host.session({ resume: id }, async (session) => {
      await session.send('Still?').result();
    });
  },
});
