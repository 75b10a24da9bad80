import { script } from '@coxswain/testkit';
import { deny } from 'coxswain';
import { scenario } from '../scenario.ts';

export default scenario('permission-denied-and-interrupted', {
  about: '`canUseTool` refuses and ends the turn.',
  agent: script().otherwise((turn) => turn.useTool('Write', { file_path: 'a.txt', content: 'a' }).say('Not, then.')),
  play: (host) =>
    host.session({ canUseTool: () => deny('Not there.', { interrupt: true }) }, async (session) => {
      await session.send('Write it.').result();
    }),
});
