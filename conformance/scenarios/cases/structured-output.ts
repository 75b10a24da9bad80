import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('structured-output', {
  about: 'The answer is an object; the first does not match its schema, the second does.',
  agent: script().otherwise((turn) =>
    turn.rejectedOutput({ seats: 'eight' }, '/seats: must be number').structuredOutput({ seats: 8 }),
  ),
  play: (host) =>
    host.query('How many seats?', {
      outputSchema: { type: 'object', properties: { seats: { type: 'number' } }, required: ['seats'] },
    }),
});
