import { script } from '@coxswain/testkit';
import { deny } from 'coxswain';
import { scenario } from '../scenario.ts';

export default scenario('another-model', {
  about: 'The model is changed between two turns, with hooks; one of them denies changing it back.',
  agent: script().otherwise((turn) => turn.say('Here.')),
  play: (host) =>
    host.session({ hooks: { PreModelSwitch, PostModelSwitch: () => ({}) } }, async (session) => {
      await session.send('Who are you?').result();
      await session.setModel('sonnet');
      // The hook after the change runs once it is done, so the position of its answer is undefined.
      if (session.capabilities.features.length > 0) await host.until('control_response success', 4);
      await session.setModel('opus').catch(() => {});
      await session.send('And now?').result();
    }),
});

function PreModelSwitch({ requested_model }: { readonly requested_model?: string | null }) {
  return requested_model === 'opus' ? deny('Too expensive.') : {};
}
