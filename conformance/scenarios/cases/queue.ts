import { script } from '@coxswain/testkit';
import type { UserFrame } from 'coxswain/types';
import { scenario } from '../scenario.ts';

export default scenario('queue', {
  about: 'Two prompts arrive while the first is answered.',
  gated: true,
  agent: script()
    .onPrompt('first', (turn) => turn.wait(600).say('First.'))
    .otherwise((turn) => turn.say('The others.')),
  play: (host) =>
    host.session({}, async (session) => {
      const first = session.send('first');
      await host.until('system init');
      await session.push(prompt('second', 2));
      await session.push(prompt('third', 3));
      host.letSpeak();
      await first.result();
      await host.until('result success', 2);
    }),
});

function prompt(content: string, n: number): UserFrame {
  return { type: 'user', message: { role: 'user', content }, uuid: `00000000-0000-4000-8000-00000000000${n}` };
}
