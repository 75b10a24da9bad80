// node --expose-gc bench/hosts/parallel.mjs bare|coxswain|official <sessions> <messages>: all sessions start at the same
// time, run one turn at the same time, and close at the same time. In between they are idle, and their memory is measured.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { stubCli } from '../stub.mjs';

const [contender, sessions, messages] = process.argv.slice(2);
const { open } = await import(`../contenders/${contender}.mjs`);
const job = { cli: stubCli(), env: { STUB_MESSAGES: messages, STUB_BYTES: '900' } };
const spent = { ms: 0, cpuMs: 0 };

// Code that is loaded on first use does not belong to a session.
const first = await open(job);
await first.turn(() => {});
await first.stop();

const before = await memory();
const starts = await watched(() => Promise.all(Array.from({ length: Number(sessions) }, () => open(job))));
const all = starts.result;
const idle = await memory();
const turns = await watched(() => Promise.all(all.map(countedTurn)));
const used = await memory();
await phase(() => Promise.all(all.map(({ stop }) => stop())));
const short = turns.result.filter((seen) => seen !== Number(messages));
if (short.length > 0) throw new Error(`messages are missing: ${short}`);

const each = (kb) => kb / Number(sessions);
console.log(
  JSON.stringify({
    ...spent,
    startDelayMs: starts.delayMs,
    turnDelayMs: turns.delayMs,
    idleKb: each(idle.rssKb - before.rssKb),
    idleHeapKb: each(idle.heapKb - before.heapKb),
    usedKb: each(used.rssKb - before.rssKb),
  }),
);

/** A phase, and the longest delay of the event loop during it. The first tick only sets the start; the last one must have run. */
async function watched(run) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await sleep(10);
  const result = await phase(run);
  await sleep(10);
  delay.disable();
  return { result, delayMs: delay.max / 1e6 };
}

async function phase(run) {
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const result = await run();
  spent.ms += performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  spent.cpuMs += (user + system) / 1_000;
  return result;
}

async function countedTurn({ turn }) {
  let count = 0;
  await turn((message) => {
    if (message.type === 'assistant') count++;
  });
  return count;
}

async function memory() {
  await sleep(50);
  for (let i = 0; i < 3; i++) globalThis.gc();
  const { rss, heapUsed } = process.memoryUsage();
  return { rssKb: rss / 1024, heapKb: heapUsed / 1024 };
}
