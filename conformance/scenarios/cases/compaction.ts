import { script } from '@coxswain/testkit';
import { deny } from 'coxswain';
import { scenario } from '../scenario.ts';

export default scenario('compaction', {
  about: '`/compact`, with its hooks; the second time one of them denies it.',
  agent: script().otherwise((turn) => turn.say('A long story.')),
  async play(host) {
    let asked = 0;
    const PreCompact = () => (++asked === 1 ? {} : deny('Not again.'));
    const hooks = { PreCompact, PostCompact: () => ({}), SessionStart: () => ({}) };
    await host.session({ hooks }, async (session) => {
      await session.send('Tell me.').result();
      await session.send('And then?').result();
      await session.send('And then?').result();
      await session.send('/compact').result();
      await session.send('/compact').result();
      await session.send('Go on.').result();
    });
  },
});
