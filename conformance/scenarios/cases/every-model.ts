import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('every-model', {
  about: 'Every model that the CLI lists is selected, then one that only the API can check.',
  agent: script().otherwise((turn) => turn.say('Here.')),
  play: (host) =>
    host.session({}, async (session) => {
      for (const { value } of session.models) await session.setModel(value);
      await session.setModel('my-proxy/model');
      await session.send('Who are you?').result();
    }),
});
