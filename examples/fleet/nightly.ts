/** A nightly batch: one turn for each repository, at most so many at a time, sent once although the job is started twice. */
import { type FleetTurn, openFleet, startWorker } from '@coxswain/fleet';
import agent from './agent.ts';

const repositories = (process.env.REPOSITORIES ?? 'boats,oars,crew').split(',');
const night = process.env.NIGHT ?? new Date().toISOString().slice(0, 10);

const fleet = await openFleet<{ repository: string }>({ database: process.env.COXSWAIN_DATABASE_URL });
const worker = await startWorker({
  database: process.env.COXSWAIN_DATABASE_URL ?? fleet.embeddedUrl,
  agent,
  slots: 2, // at the same time; in production, the workers run elsewhere
  onError: (error) => console.error(error),
});

// #region submit
await fleet.setQuota('nightly', { maxUsdPerDay: 10 }); // what it does not cover waits for the next day
const turns: FleetTurn[] = [];
for (const repository of repositories)
  turns.push(
    await fleet.submit({
      id: `nightly-${night}-${repository}`, // a second submission with this id is the same turn
      key: `nightly/${repository}`,
      tenant: 'nightly',
      priority: -1, // people first
      prompt: 'Do the tests pass?',
      data: { repository },
    }),
  );
// #endregion

// #region report
let failed = 0;
for (const [index, turn] of turns.entries()) {
  const { outcome, costUsd } = await turn.outcome({ signal: AbortSignal.timeout(6 * 3_600_000) });
  if (outcome.kind !== 'completed') failed += 1;
  const text = outcome.kind === 'completed' ? outcome.text : outcome.kind;
  console.log(`${repositories[index]}: ${text} ($${(costUsd ?? 0).toFixed(2)})`);
}
const days = await fleet.spend({ tenant: 'nightly', days: 1 });
console.log(
  `${turns.length} repositories, ${failed} failed, $${days.reduce((sum, day) => sum + day.usd, 0).toFixed(2)}`,
);
process.exitCode = failed === 0 ? 0 : 1;
// #endregion

await worker.drain({ timeoutMs: 30_000 });
await fleet.close();
