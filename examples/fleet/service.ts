/** A web service's side of a fleet: submit, follow, approve, cancel, quotas, schedules; and a worker in the same process. */
import { isFleetError, openFleet, startWorker } from '@coxswain/fleet';
import { allow } from 'coxswain';
import agent from './agent.ts';

// #region open
const fleet = await openFleet<{ repository: string }>({
  database: process.env.COXSWAIN_DATABASE_URL, // without one, an embedded PostgreSQL in .coxswain/postgres
});
// #endregion

// #region worker
const worker = await startWorker({
  database: process.env.COXSWAIN_DATABASE_URL ?? fleet.embeddedUrl,
  agent,
  slots: 4, // turns at the same time; a CLI takes about 170 MB
  onError: (error) => console.error(error), // failures that no outcome reports, such as an unreachable database
});
// #endregion

// #region submit
const data = { repository: 'boats' };
const turn = await fleet.submit({ key: 'ann/boats', prompt: 'Do the tests pass?', data, tenant: 'ann' }); // durable from here on
const { outcome, costUsd } = await turn.outcome();
if (outcome.kind === 'completed') console.log(outcome.text, costUsd);
// #endregion

// #region follow
const release = await fleet.submit({
  key: 'ann/boats',
  prompt: 'Make the release.',
  data,
  tenant: 'ann',
  id: 'release-42',
});
for await (const item of release.follow({ after: 0 })) {
  if (item.kind === 'state') console.log(item.state);
  if (item.kind === 'permission-requested' && item.approval !== null) {
    console.log(item.request.toolName, 'needs an answer');
    await fleet.answer(item.approval, allow(), { by: 'bob', hash: item.hash }); // from any process; the first answer counts
  }
  if (item.kind === 'outcome') console.log(item.outcome.kind);
}
// #endregion

// #region cancel
const waiting = await fleet.submit({ key: 'ann/other', prompt: 'Just wait.', data, tenant: 'ann' });
for await (const item of waiting.follow()) if (item.kind === 'message' && item.message.type === 'assistant') break;
await fleet.cancel(waiting.id, { by: 'ann' }); // removes a waiting turn, interrupts a running one
const cancelled = await waiting.outcome();
console.log(cancelled.outcome.kind);
const again = await fleet.resend(waiting.id); // the same prompt, as a new turn
await fleet.cancel(again.id);
// #endregion

// #region errors
try {
  await fleet.submit({ key: 'ann/boats', prompt: 'Hello', data, tenant: 'bob' }); // the conversation belongs to ann
} catch (error) {
  if (isFleetError(error, 'submission')) console.log(error.field, 'is wrong');
  else if (isFleetError(error, 'database-unavailable')) console.log('try again later');
  else throw error;
}
// #endregion

// #region quotas
await fleet.setQuota('ann', { maxConcurrent: 2, maxUsdPerDay: 20 });
const [quota] = await fleet.quotas(); // with current usage: running, waiting, usdToday, and the limit that is reached
const days = await fleet.spend({ tenant: 'ann', days: 7 }); // dollars and turns by day
console.log(quota?.tenant, quota?.reached ?? 'is below its limits', days.length > 0 ? 'and has spent' : '');
// #endregion

// #region operate
await fleet.schedule({
  name: 'nightly',
  cron: '0 3 * * *',
  timeZone: 'Europe/Berlin',
  key: 'nightly',
  tenant: 'ann',
  prompt: 'Run the tests.',
  data,
});
const { turns, workers } = await fleet.stats();
console.log(workers.length, 'worker', turns.waiting, 'waiting');
await fleet.prune({ turnsBefore: 30 * 24 * 3_600_000, conversationsBefore: 365 * 24 * 3_600_000 });
// #endregion

// #region drain
await worker.drain({ timeoutMs: 30_000 }); // on SIGTERM: takes no new turns, lets running ones end, then interrupts them
await fleet.close();
// #endregion
