import { script } from '@coxswain/testkit';
import { addContext, deny } from 'coxswain';
import { scenario } from '../scenario.ts';

export default scenario('hook-on-prompt', {
  about: 'A `UserPromptSubmit` hook refuses a prompt, and adds context to the next.',
  agent: script().otherwise((turn) => turn.say('It rains.')),
  play: (host) =>
    host.session(
      {
        hooks: {
          UserPromptSubmit: ({ prompt }) => (prompt.includes('1234') ? deny('No secrets.') : addContext('Rain.')),
        },
      },
      async (session) => {
        await session.send('The password is 1234.').result();
        await session.send('How is the weather?').result();
      },
    ),
});
