/** A nightly batch: one turn for each repository as one group, sent once although the job is started twice, with limits and retries. */
import { openFleet, startWorker } from '@coxswain/fleet';
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
await fleet.setQuota('nightly', { maxUsdPerDay: 10, maxUsdPerTurn: 2 }); // what the day does not cover waits for the next one
const group = await fleet.submitMany(
  repositories.map((repository) => ({
    id: `nightly-${night}-${repository}`,
    key: `nightly/${repository}`,
    tenant: 'nightly',
    priority: -1, // people first
    prompt: 'Do the tests pass?',
    data: { repository },
    attributes: { job: 'nightly', repository },
    retry: { attempts: 5, backoffMs: 60_000 }, // if the API is overloaded, or its limit is reached
  })),
  { group: `nightly-${night}` }, // a second submission with this id is the same group
);
// #endregion

// #region report
let left = repositories.length;
for await (const { outcome } of group.outcomes()) console.log(`${outcome.kind}, ${--left} left`); // as they come
let failed = 0;
const ended = await group.done({ signal: AbortSignal.timeout(6 * 3_600_000) });
for (const [index, { outcome, costUsd }] of ended.entries()) {
  if (outcome.kind !== 'completed') failed += 1;
  const text = outcome.kind === 'completed' ? outcome.text : outcome.kind;
  console.log(`${repositories[index]}: ${text} ($${costUsd.toFixed(2)})`);
}
const days = await fleet.spend({ tenant: 'nightly', days: 1 });
console.log(
  `${ended.length} repositories, ${failed} failed, $${days.reduce((sum, day) => sum + day.usd, 0).toFixed(2)}`,
);
const boats = await fleet.turns({ attributes: { job: 'nightly', repository: 'boats' } }); // of all nights, the newest first
console.log(boats.length, 'for boats');
process.exitCode = failed === 0 ? 0 : 1;
// #endregion

await worker.drain({ timeoutMs: 30_000 });
await fleet.close();
