// #region staying-up
import { createPool, openSession } from 'coxswain';

// Outlives its CLI: restarts it, resumes the conversation, goes on with the turns that wait.
await using session = openSession({ cwd: '.', restart: { maxRestarts: 5, windowMs: 60_000 } });
console.log(await session.send('What is this folder for?').text());

// Many conversations on a few processes: a key is a conversation, and keeps its order.
await using pool = createPool({ size: 4, prewarm: 1 });
const jobs = ['ann', 'bob', 'ann'].map((key) => pool.submit({ key, prompt: `Hello, this is ${key}.` }));
for (const job of jobs) console.log(job.key, await job.text());
// #endregion
