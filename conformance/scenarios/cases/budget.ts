import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

const spent = { maxBudgetUsd: 0.0000001 };

export default scenario('budget', {
  about:
    'A budget is spent by the first message: of a turn that calls a tool, of one that only answers, and of a session with two turns.',
  agent: script()
    .onPrompt('tool', (turn) => turn.useTool('Bash', { command: 'echo hi' }).say('Never said.'))
    .otherwise((turn) => turn.say('Here.')),
  async play(host) {
    await host.query('Use a tool.', spent);
    await host.query('Answer.', spent);
    await host.session(spent, async (session) => {
      await session.send('Answer.').collect();
      await session.send('Answer again.').collect();
      await session.send('Use a tool.').collect();
    });
  },
});
