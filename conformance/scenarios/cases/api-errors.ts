import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('api-errors', {
  about: 'The API is overloaded once, then refuses permanently; the hook for failed turns is called.',
  agent: script()
    .onPrompt('Hello', (turn) => turn.apiRetry(529).say('At last.'))
    .otherwise((turn) => turn.apiError(400)),
  async play(host) {
    // The CLI does not wait for the answer to this hook, so the answer follows everything else.
    const StopFailure = async () => {
      await host.until('command_lifecycle cancelled').catch(() => {});
      return {};
    };
    await host.session({ hooks: { StopFailure, Stop: () => ({}) } }, async (session) => {
      await session.send('Hello?').result();
      await session.send('And now?').result();
    });
  },
});
