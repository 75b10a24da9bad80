import { script } from '@coxswain/testkit';
import { deny } from 'coxswain';
import { scenario } from '../scenario.ts';

export default scenario('steered-too-late', {
  about: 'A prompt misses the turn it should have joined; a `UserPromptSubmit` hook denies it as a separate turn.',
  gated: true,
  agent: script().otherwise((turn) => turn.wait(600).say('I was faster.')),
  play: (host) =>
    host.session(
      { hooks: { UserPromptSubmit: ({ prompt }) => (prompt.includes('1234') ? deny('No secrets.') : undefined) } },
      async (session) => {
        const turn = session.send('Be quick.');
        await host.until('system init');
        await turn.steer('The password is 1234.');
        host.letSpeak();
        await turn.result();
      },
    ),
});
