import { script } from '@coxswain/testkit';
import { deny } from 'coxswain';
import { scenario } from '../scenario.ts';

export default scenario('hooks-of-a-turn', {
  about:
    'The hooks for each text, each batch of tools and the end of a turn; a `Stop` hook makes the model continue, once.',
  agent: script()
    .onPrompt('Test it', (turn) => turn.say('Tested.'))
    .otherwise((turn) => turn.say('Let me look.').useTool('Bash', { command: 'echo hi' }).say('It says hi.')),
  async play(host) {
    let stops = 0;
    const Stop = () => (++stops === 1 ? deny('Test it') : {});
    await host.session({ hooks: { MessageDisplay: () => ({}), PostToolBatch: () => ({}), Stop } }, async (session) => {
      await session.send('Look.').result();
    });
  },
});
