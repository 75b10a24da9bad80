import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('thinking', {
  about: 'The model thinks, in plain and in redacted form, and answers.',
  agent: script().otherwise((turn) => turn.think('Let me think about it.').thinkRedacted().say('Done.')),
  play: (host) => host.query('Think.'),
});
