import { script } from '@coxswain/testkit';
import { allow, deny } from 'coxswain';
import { scenario } from '../scenario.ts';

export default scenario('permission-answers', {
  about: '`canUseTool` allows, refuses, and allows another input.',
  agent: script().otherwise((turn) => turn.useTool('Write', { file_path: 'a.txt', content: 'a' }).say('So be it.')),
  async play(host) {
    const answers = [allow(), deny('Not there.'), allow({ updatedInput: { file_path: 'b.txt', content: 'b' } })];
    await host.session({ canUseTool: () => answers.shift() ?? deny('Never.') }, async (session) => {
      await session.send('Write it.').result();
      await session.send('Write it again.').result();
      await session.send('Write it elsewhere.').result();
    });
  },
});
