/** Two agents by name, and a new version of one of them that gets its conversations step by step. */
import { defineAgent, openFleet, startWorker } from '@coxswain/fleet';
import { inMemoryCli, script } from '@coxswain/testkit';

const scripted = (text: string) => ({
  transport: inMemoryCli(script().otherwise((turn) => turn.say(text))).transport,
});

// #region agents
const review = defineAgent({ version: '1', options: () => scripted('Reviewed.') });
const deploy = defineAgent({ options: () => scripted('Deployed.') });

const fleet = await openFleet({ database: process.env.COXSWAIN_DATABASE_URL });
const database = process.env.COXSWAIN_DATABASE_URL ?? fleet.embeddedUrl;
const both = await startWorker({ database, name: 'both', agents: { review, deploy } });

const turn = await fleet.submit({ key: 'pr-17', prompt: 'Look at this change', agent: 'review' });
// #endregion
await turn.outcome();

// #region release
const newer = defineAgent({ version: '2', options: () => scripted('Reviewed with care.') });
const next = await startWorker({ database, name: 'next', agents: { review: newer } });

for (const share of [0, 0.5, 1]) {
  await fleet.setRelease('review', { version: '2', share }); // for all workers, at once
  const keys = Array.from({ length: 20 }, (_, n) => `pr-${n}`);
  const turns = await Promise.all(keys.map((key) => fleet.submit({ key, prompt: 'Look again', agent: 'review' })));
  await Promise.all(turns.map((one) => one.outcome()));
  const ran = await Promise.all(turns.map((one) => one.info()));
  console.log(`share ${share}: ${ran.filter(({ agentVersion }) => agentVersion === '2').length} of 20 on version 2`);
}
// #endregion

await both.drain(); // the old version is gone; so is the only worker with the agent deploy
await fleet.submit({ key: 'boats', prompt: 'Deploy main', agent: 'deploy' });
for (const { waiting, reason } of (await fleet.stats()).unserved) console.log(`${waiting} waiting: ${reason}`);
for (const { name, agents } of await fleet.workers())
  console.log(`${name}: ${agents.map((agent) => `${agent.name} ${agent.version}`).join(', ')}`);
await next.drain();
await fleet.close();
