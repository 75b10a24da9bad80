import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('structured-output-missing', {
  about: 'The answer should be an object, and the model gives none.',
  agent: script().otherwise((turn) => turn.say('Eight, I think.')),
  async play(host) {
    const outputSchema = { type: 'object', properties: { seats: { type: 'number' } }, required: ['seats'] };
    await host.query('How many seats?', { outputSchema });
  },
});
