import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('steered', {
  about: 'A prompt joins a turn whose tool is running.',
  agent: script().otherwise((turn) =>
    turn.useTool('Bash', { command: 'until [ -e go ]; do sleep 0.1; done' }, { durationMs: 2_000 }).say('I heard you.'),
  ),
  play: (host) =>
    host.session({ allowedTools: ['Bash'] }, async (session) => {
      const turn = session.send('Take your time.');
      await host.until('assistant tool_use');
      await turn.steer('Faster!');
      await host.touch('go');
      await turn.result();
    }),
});
