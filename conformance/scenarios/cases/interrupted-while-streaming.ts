import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('interrupted-while-streaming', {
  about: 'A turn is interrupted in the middle of a sentence.',
  agent: script()
    .onPrompt('long', (turn) => turn.say('One two three four five six seven eight nine ten.', { everyMs: 400 }))
    .otherwise((turn) => turn.say('Yes?')),
  play: (host) =>
    host.session({ includePartialMessages: true }, async (session) => {
      const turn = session.send('A long story.');
      await host.until('stream_event content_block_delta text_delta');
      await session.interrupt();
      await turn.result();
      await session.send('Listen.').result();
    }),
});
