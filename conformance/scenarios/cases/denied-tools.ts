import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('denied-tools', {
  about:
    'Rules deny a whole tool, a command, a part of a command and a file; another call has no callback that could permit it.',
  agent: script().otherwise((turn) =>
    turn
      .useTool('Write', { file_path: 'a.txt', content: 'a' })
      .useTool('Bash', { command: 'rm -rf build' })
      .useTool('Bash', { command: 'echo fine && rm -rf build' })
      .useTool('Read', { file_path: 'secret.txt' })
      .useTool('Bash', { command: 'echo fine' })
      .useTool('WebFetch', { url: 'https://example.com/', prompt: 'What is it?' }, { permission: 'ask' })
      .say('As far as I could.'),
  ),
  play: (host) =>
    host.query('Clean up.', { disallowedTools: ['Write', 'Bash(rm *)', 'Read(./secret.txt)'], allowedTools: ['Bash'] }),
});
