/** The cost of turns, jobs and a whole session, ready for billing, including interrupted work. */
import { script } from '@coxswain/testkit';
import { createPool, openSession, query, type TurnCost } from 'coxswain';
import { pickAgent } from './agent.ts';

const scripted = script()
  .onPrompt('long', (turn) => turn.say('Let me see.').silence())
  .otherwise((turn) => turn.say('Aye.').result({ costUsd: 0.01 }));
await using agent = await pickAgent(scripted);

// #region turn
let id: string | undefined;
{
  await using session = openSession({ cli: agent.cli });
  for (const prompt of ['Row to the buoy.', 'And back.']) {
    const turn = session.send(prompt);
    await turn.result();
    bill('ann', await turn.cost());
  }
  console.log(`the session: $${session.cost().costUsd.toFixed(3)}`);
  id = session.id;
}
{
  // Another process resumes the conversation; the cost is still that of the turn alone.
  await using session = openSession({ cli: agent.cli, resume: id });
  const turn = session.send('Once more.');
  await turn.text();
  bill('ann', await turn.cost());
}
// #endregion

// #region job
const pool = createPool({ size: 2, defaults: { cli: agent.cli } });
const job = pool.submit({ key: 'bob', prompt: 'Take the long way.' }, { signal: AbortSignal.timeout(500) });
const { status, costUsd, cost } = await job.outcome;
console.log(`${status}, $${costUsd.toFixed(3)}${cost.complete ? '' : ' or more'}`);
bill('bob', cost);
await pool.close();
// #endregion

// #region query
const stream = query('How deep is it?', { cli: agent.cli });
console.log(await stream.text());
const spent = await stream.cost();
bill('ann', spent);
for (const [model, { outputTokens }] of Object.entries(spent.byModel))
  console.log(`${model}: ${outputTokens} output tokens`);
// #endregion

function bill(customer: string, { costUsd: usd, usage, complete }: TurnCost): void {
  const tokens = usage.inputTokens + usage.outputTokens;
  console.log(`${customer}: $${usd.toFixed(3)} for ${tokens} tokens${complete ? '' : ', at least'}`);
}
