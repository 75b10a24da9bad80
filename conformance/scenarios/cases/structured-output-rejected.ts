import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('structured-output-rejected', {
  about: 'No answer matches the schema: the CLI gives up after five.',
  agent: script().otherwise((turn) => turn.rejectedOutput({ seats: 'eight' }, '/seats: must be number', 7)),
  async play(host) {
    const outputSchema = { type: 'object', properties: { seats: { type: 'number' } }, required: ['seats'] };
    await host.query('How many seats?', { outputSchema });
    await host.session({ outputSchema }, async (session) => void (await session.send('How many seats?').collect()));
  },
});
