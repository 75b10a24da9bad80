// Starts a query and a session that run forever and prints the pids of their CLIs. Then it exits, throws, or drops both, as requested.
import process from 'node:process';
import { openSession, query } from 'coxswain';

const [, , cli] = process.argv;
/** @type {number[]} */
const pids = [];
/** @param {import('coxswain').RunEvent} event */
const onEvent = (event) => {
  if (event.type === 'started' && event.pid !== null) pids.push(event.pid);
};
const stream = query('row for ever', { cli, onEvent });
const session = openSession({ cli, onEvent });
const turn = session.send('row for ever');
await Promise.all([untilItSpeaks(stream), untilItSpeaks(turn)]);

process.stdin.once('data', async (order) => {
  const how = String(order).trim();
  if (how === 'exit') process.exit(9);
  if (how === 'throw') throw new Error('a bug of the host');
  process.stdin.destroy();
  void stream.close();
  void session.close();
});
console.log(JSON.stringify(pids));

/** @param {AsyncIterable<import('coxswain').Message>} messages */
async function untilItSpeaks(messages) {
  const iterator = messages[Symbol.asyncIterator]();
  for (;;) {
    const step = await iterator.next();
    if (step.done || step.value.type === 'assistant') return;
  }
}
