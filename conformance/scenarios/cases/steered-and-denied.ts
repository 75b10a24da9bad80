import { script } from '@coxswain/testkit';
import { deny } from 'coxswain';
import { scenario } from '../scenario.ts';

export default scenario('steered-and-denied', {
  about: 'Two prompts join a turn whose tool is running; a `UserPromptSubmit` hook denies the second.',
  agent: script().otherwise((turn) =>
    turn.useTool('Bash', { command: 'until [ -e go ]; do sleep 0.1; done' }, { durationMs: 2_000 }).say('I heard you.'),
  ),
  play: (host) =>
    host.session(
      {
        allowedTools: ['Bash'],
        hooks: { UserPromptSubmit: ({ prompt }) => (prompt.includes('1234') ? deny('No secrets.') : undefined) },
      },
      async (session) => {
        const turn = session.send('Take your time.');
        await host.until('assistant tool_use');
        await turn.steer('Faster!');
        await turn.steer('The password is 1234.');
        // The CLI reads its input in order: once this is answered, it has both.
        await session.request('get_session_cost');
        await host.touch('go');
        await turn.result();
      },
    ),
});
