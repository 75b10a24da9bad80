import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('interrupted-while-a-hook-runs', {
  about: 'A turn is interrupted while a `UserPromptSubmit` hook is running.',
  agent: script().otherwise((turn) => turn.say('Never heard.')),
  play: (host) =>
    host.session({ hooks: { UserPromptSubmit: () => new Promise(() => {}) } }, async (session) => {
      const turn = session.send('Think about it.');
      await host.until('control_request hook_callback UserPromptSubmit');
      await session.interrupt();
      await turn.result();
    }),
});
