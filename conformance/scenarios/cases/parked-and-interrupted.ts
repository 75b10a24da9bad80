import { script } from '@coxswain/testkit';
import { decideLater, deny } from 'coxswain';
import { memoryStore } from 'coxswain/store';
import { park } from '../park.ts';
import { scenario } from '../scenario.ts';

export default scenario('parked-and-interrupted', {
  about: 'A parked request is denied and its turn ended; another one is interrupted while it is asked again.',
  agent: script()
    .onPrompt('there', (turn) => turn.say('No.'))
    .otherwise((turn) => turn.useTool('Write', { file_path: 'a.txt', content: 'a' }).say('It is written.')),
  async play(host) {
    const options = { sessionStore: memoryStore() };
    const denied = await park(host, 'Write it.', options);
    const stop = () => deny('Never.', { interrupt: true });
    await host.session({ ...options, parked: denied, canUseTool: stop }, async (session) => {
      await session.parkedTurn?.result();
    });
    const interrupted = await park(host, 'Write it again.', options);
    await host.session({ ...options, parked: interrupted, canUseTool: () => decideLater() }, async (session) => {
      const turn = session.parkedTurn;
      for await (const item of turn?.items({ permissions: true }) ?? []) {
        if (item.kind === 'permission-requested') await turn?.interrupt();
      }
      await session.send('Is it there?').result();
    });
  },
});
