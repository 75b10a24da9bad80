import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('tool-error', {
  about: 'Two tools fail; the hook for failures is called for both.',
  agent: script().otherwise((turn) =>
    turn
      .useTool('Read', { file_path: 'not-there.txt' }, { result: 'File does not exist.', isError: true })
      .useTool('Bash', { command: 'false' }, { result: 'Exit code 1', isError: true })
      .say('Neither worked.'),
  ),
  play: (host) =>
    host.session({ hooks: { PostToolUse: () => ({}), PostToolUseFailure: () => ({}) } }, async (session) => {
      await session.send('Try both.').result();
    }),
});
