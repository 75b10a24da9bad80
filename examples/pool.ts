/** Many conversations on a few processes: keys, eviction and resume, a crash, cancelling, permissions answered later, draining. */
import { script } from '@coxswain/testkit';
import { allow, createPool, decideLater, type PoolDefaults } from 'coxswain';
import { z } from 'zod';
import { pickAgent } from './agent.ts';

const scripted = script()
  .onPrompt('boat', (turn) => turn.say('Aye.'))
  .onPrompt('crash', (turn) => turn.say('Rocks ahead').crash())
  .onPrompt('ashore', (turn) =>
    turn.useTool('Write', { file_path: '/log', content: 'x' }, { permission: 'ask' }).say('Logged.'),
  )
  .onPrompt('sleep', (turn) => turn.silence())
  .onPrompt('called', (turn) => turn.structuredOutput({ boat: 'Ariel', seats: 8 }))
  .otherwise((turn) => turn.say('Row!'));
await using agent = await pickAgent(scripted);
const defaults: PoolDefaults = { cli: agent.cli, canUseTool: () => decideLater() };

// #region create
const pool = createPool({
  size: 2, // maximum number of processes
  prewarm: 1, // processes kept ready for new keys
  defaults, // options that all sessions share
  session: (key) => (key === 'ann' ? { model: 'opus' } : undefined), // options per key; null for jobs without a key
});
await pool.ready; // rejects if the defaults are invalid
// #endregion

// #region run
const ran = await pool.run({ key: 'ann', prompt: 'My boat is called Ariel.' });
if (ran.status !== 'finished') console.log(ran.status, ran.error.code);
else if (ran.outcome.kind === 'completed') console.log(ran.outcome.text);
// #endregion

// #region jobs
const jobs = ['ann', 'bob', 'ann', 'cid', 'ann'].map((key, n) => pool.submit({ key, prompt: `Stroke ${n}.` }));
const last = pool.submit({ key: 'dan', prompt: 'When you have time.', priority: -5 });
for (const job of jobs) console.log(job.key, await job.text()); // read like a turn
// #endregion
await last.outcome;

// #region options
const asked = pool.submit({
  key: 'ann', // the same conversation, in a process started with these options
  prompt: 'What is she called, and how many seats does she have?',
  options: { outputSchema: z.object({ boat: z.string(), seats: z.number() }), maxBudgetUsd: 0.1 },
});
const { boat, seats } = await asked.output(); // typed by this job's schema
console.log(boat, seats);
// #endregion

// #region crash
const cut = await pool.run({ key: 'bob', prompt: 'Make it crash.' });
if (cut.status === 'failed') console.log(cut.error.code, cut.error.signal);
const next = await pool.run({ key: 'bob', prompt: 'Are you still there?' }); // a new process, the same conversation
console.log(next.sessionId === cut.sessionId);
// #endregion

// #region cancel
const job = pool.submit({ id: 'nap', key: 'cid', prompt: 'Go to sleep.' });
await pool.cancel('nap', 'no time for that'); // or job.cancel(), or submit(job, { signal })
const ended = await job.outcome;
if (ended.status === 'cancelled') console.log('cancelled by', ended.cancelledBy);
// #endregion

// #region permissions
const ashore = pool.submit({ key: 'ann', prompt: 'Put me ashore.' });
for await (const event of pool.events()) {
  if (event.type === 'job-ended') break; // the job needed no permission
  if (event.type !== 'permission-requested') continue;
  console.log(event.request.toolName, 'for', event.key); // plain JSON: show it to the person who decides
  await pool.answerPermission(event.id, allow());
  break;
}
console.log(await ashore.text());
// #endregion

// #region items
for await (const item of pool.submit({ key: 'ann', prompt: 'Back ashore.' }).items({ permissions: true })) {
  if (item.kind === 'permission-requested') await pool.answerPermission(item.id, allow());
  if (item.kind === 'permission-answered') console.log(item.tool, item.decision);
}
// #endregion

// #region stats
const { jobs: counts, totals, queued } = pool.stats();
console.log(counts, queued, totals.replaced);
// #endregion

// #region drain
await pool.drain({ timeoutMs: 30_000 }); // accepts no more jobs, finishes the ones it has, then ends the processes
console.log(pool.stats().state);
// #endregion
