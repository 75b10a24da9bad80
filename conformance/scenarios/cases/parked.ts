import { script } from '@coxswain/testkit';
import { allow, deny } from 'coxswain';
import { memoryStore } from 'coxswain/store';
import { park } from '../park.ts';
import { scenario } from '../scenario.ts';

export default scenario('parked', {
  about: 'Two requests are parked and asked again in other processes, with hooks; one is allowed, the other denied.',
  agent: script()
    .onPrompt('there', (turn) => turn.say('Yes.'))
    .onPrompt('Delete', (turn) => turn.useTool('Bash', { command: 'rm a.txt' }).say('I leave it.'))
    .otherwise((turn) =>
      turn.say('One moment.').useTool('Write', { file_path: 'a.txt', content: 'a' }).say('It is written.'),
    ),
  async play(host) {
    const hook = (): undefined => undefined;
    const hooks = { PreToolUse: hook, PostToolUse: hook, UserPromptSubmit: hook, Stop: hook };
    const options = { sessionStore: memoryStore(), hooks };
    const write = await park(host, 'Write it.', options);
    await host.session({ ...options, parked: write, canUseTool: () => allow() }, async (session) => {
      await session.parkedTurn?.result();
      await session.send('Is it there?').result();
    });
    const remove = await park(host, 'Delete it.', { ...options, resume: write.sessionId });
    await host.session({ ...options, parked: remove, canUseTool: () => deny('Keep it.') }, async (session) => {
      await session.parkedTurn?.result();
    });
  },
});
