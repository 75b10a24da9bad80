import { script } from '@coxswain/testkit';
import { allow } from 'coxswain';
import { memoryStore } from 'coxswain/store';
import { park } from '../park.ts';
import { scenario } from '../scenario.ts';

export default scenario('parked-beside-another', {
  about: 'A request is parked while another call of the same message has not run; the other one is not run.',
  agent: script().otherwise((turn) =>
    turn
      .useTools([
        { name: 'Write', input: { file_path: 'a.txt', content: 'a' } },
        { name: 'Write', input: { file_path: 'b.txt', content: 'b' } },
      ])
      .say('One of two.'),
  ),
  async play(host) {
    const options = { sessionStore: memoryStore() };
    const parked = await park(host, 'Write both.', options);
    await host.session({ ...options, parked, canUseTool: () => allow() }, async (session) => {
      await session.parkedTurn?.result();
    });
  },
});
