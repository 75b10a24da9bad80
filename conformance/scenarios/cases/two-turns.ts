import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('two-turns', {
  about: 'Two prompts, one after the other, in another permission mode.',
  agent: script()
    .onPrompt('write', (turn) => turn.useTool('Write', { file_path: 'a.txt', content: 'a' }).say('Written.'))
    .otherwise((turn) => turn.say('Here I am.')),
  play: (host) =>
    host.session({}, async (session) => {
      await session.send('Are you there?').result();
      await session.setPermissionMode('acceptEdits');
      await session.send('Now write it.').result();
    }),
});
