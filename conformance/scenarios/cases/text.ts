import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('text', {
  about: 'One prompt, one answer.',
  agent: script().otherwise((turn) => turn.say('Hello.')),
  play: (host) => host.query('Say hello.'),
});
