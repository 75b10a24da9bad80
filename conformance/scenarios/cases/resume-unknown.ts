import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('resume-unknown', {
  about: 'A session that does not exist is resumed.',
  agent: script().otherwise((turn) => turn.say('Nobody hears this.')),
  play: (host) => host.query('Do you remember?', { resume: '22222222-2222-4222-8222-222222222222' }),
});
