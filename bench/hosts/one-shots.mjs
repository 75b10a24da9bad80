// node --expose-gc bench/hosts/one-shots.mjs bare|query|session|official <count>: one run after the other. Growth from
// the first tenth to the end is a leak.
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { stubCli } from '../stub.mjs';

const [contender, times] = process.argv.slice(2);
const run = await runner();
const job = { cli: stubCli(), env: { STUB_MESSAGES: '1', STUB_BYTES: '200' } };
const warmups = Math.ceil(Number(times) / 10);

await repeat(warmups);
const before = await held();
const began = performance.now();
await repeat(Number(times) - warmups);
const eachMs = (performance.now() - began) / Math.max(1, Number(times) - warmups);
const after = await held();
const grown = Object.fromEntries(Object.keys(after).map((what) => [`${what}Grown`, after[what] - before[what]]));
console.log(JSON.stringify({ eachMs, ...grown }));

async function runner() {
  if (contender === 'bare' || contender === 'official') return (await import(`../contenders/${contender}.mjs`)).oneShot;
  const { oneShot, session } = await import('../contenders/coxswain.mjs');
  return contender === 'session' ? session : oneShot;
}

async function repeat(count) {
  for (let i = 0; i < count; i++) await run(job, () => {});
}

async function held() {
  await sleep(500);
  for (let i = 0; i < 3; i++) globalThis.gc();
  return {
    fds: process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0,
    handles: process.getActiveResourcesInfo().length,
    heapKb: process.memoryUsage().heapUsed / 1024,
  };
}
