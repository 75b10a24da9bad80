import { script } from '@coxswain/testkit';
import type { ResultMessage, Session } from 'coxswain';
import { scenario } from '../scenario.ts';

export default scenario('cost-after-resume', {
  about: 'The cost of a conversation over two processes.',
  agent: script().otherwise((turn) => turn.say('That will be all.')),
  async play(host) {
    const id = '11111111-1111-4111-8111-111111111111';
    const costs: number[] = [];
    const results: ResultMessage[] = [];
    const turn = async (session: Session, prompt: string): Promise<void> => {
      const sent = session.send(prompt);
      results.push(await sent.result());
      const { costUsd, complete } = await sent.cost();
      if (!complete) throw new Error(`The cost of "${prompt}" is not complete.`);
      costs.push(costUsd);
    };
    await host.session({ sessionId: id }, async (session) => {
      await turn(session, 'The first.');
      await turn(session, 'The second.');
    });
    await host.session({ resume: id }, async (session) => {
      await turn(session, 'The third.');
      await turn(session, 'The fourth.');
    });
    expectTotals(results, costs);
  },
});

/** The totals must match how a release adds up the costs of the turns: 2.1.197 by process, 2.1.325 by conversation. */
function expectTotals(results: readonly ResultMessage[], costs: readonly number[]): void {
  const [first = 0, second = 0, third = 0, fourth = 0] = costs;
  const byConversation = results.some((result) => result.model_usage_since_last_result !== undefined);
  const expected = byConversation
    ? [first, first + second, first + second + third, first + second + third + fourth]
    : [first, first + second, third, third + fourth];
  const found = results.map(({ total_cost_usd }) => total_cost_usd);
  const same = expected.every((total, index) => Math.abs(total - (found[index] ?? 0)) < 1e-9 && total > 0);
  if (!same) throw new Error(`The totals are ${found.join(', ')}, not ${expected.join(', ')}.`);
}
