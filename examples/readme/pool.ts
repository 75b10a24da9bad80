// #region pool
import { createPool } from 'coxswain';

await using pool = createPool({ size: 4, prewarm: 1 });
const jobs = ['ann', 'bob', 'ann'].map((key) => pool.submit({ key, prompt: `Hello, this is ${key}.` }));
for (const job of jobs) console.log(job.key, await job.text()); // a key is a conversation; its jobs run in order
// #endregion
