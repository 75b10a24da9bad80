import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

export default scenario('interrupted-while-a-tool-runs', {
  about: 'A turn is interrupted while a command runs, another while `canUseTool` is running.',
  agent: script()
    .onPrompt('wait', (turn) => turn.useTool('Bash', { command: 'sleep 20' }, { durationMs: 20_000 }).say('Done.'))
    .onPrompt('write', (turn) => turn.useTool('Write', { file_path: 'a.txt', content: 'a' }).say('Written.'))
    .otherwise((turn) => turn.say('Yes?')),
  play: (host) =>
    host.session({ allowedTools: ['Bash'], canUseTool: () => new Promise(() => {}) }, async (session) => {
      const waiting = session.send('Now wait.');
      await host.until('assistant tool_use');
      await session.interrupt();
      await waiting.result();
      const writing = session.send('Now write it.');
      await host.until('control_request can_use_tool');
      await session.interrupt();
      await writing.result();
      await session.send('Listen.').result();
    }),
});
