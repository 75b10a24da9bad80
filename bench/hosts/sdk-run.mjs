// node bench/hosts/sdk-run.mjs <address> import|program|server|first|permissions|hooks [count]: one measurement in a fresh process, on the
// official SDK or on one with the same functions.
import { contenderOn } from '../contenders/sdk-api.mjs';
import { stubCli } from '../stub.mjs';

const [address, what, count = '1'] = process.argv.slice(2);
const env = {};
if (what === 'hooks') env.STUB_HOOKS = count;
if (what === 'permissions') env.STUB_PERMISSIONS = count;
let asked = 0;
const job = {
  cli: stubCli(),
  env,
  asked: () => {
    asked++;
  },
};

let sdk = what === 'import' || what === 'program' ? undefined : await import(address);
const { z } = await import('zod');
// The first calls of a process load what is loaded on demand.
if (what === 'first') await firstMessage();
const { ms, cpuMs } = await measured();
if (env.STUB_HOOKS || env.STUB_PERMISSIONS) {
  if (asked !== Number(count)) throw new Error(`${asked} instead of ${count}`);
}
console.log(JSON.stringify({ ms, cpuMs }));
process.exit();

async function measured() {
  const before = process.cpuUsage();
  const began = performance.now();
  const timed = await run();
  const { user, system } = process.cpuUsage(before);
  return { ms: timed ?? performance.now() - began, cpuMs: (user + system) / 1_000 };
}

/** Runs the measurement; returns its time if only a part of the run is timed. */
async function run() {
  if (what === 'import') await import(address);
  else if (what === 'program') {
    sdk = await import(address);
    await firstMessage();
  } else if (what === 'server') firstServer();
  else if (what === 'first') {
    let sum = 0;
    for (let call = 0; call < Number(count); call++) sum += await firstMessage();
    return sum / Number(count);
  } else await contenderOn(sdk).oneShot(job, () => {});
  return undefined;
}

function firstServer() {
  const sum = sdk.tool('sum', 'Adds.', { a: z.number(), b: z.number() }, async () => ({ content: [] }));
  sdk.createSdkMcpServer({ name: 'sums', tools: [sum] });
}

/** The time to the first message of a query. */
async function firstMessage() {
  const began = performance.now();
  let ms;
  await contenderOn(sdk).oneShot(job, () => {
    ms ??= performance.now() - began;
  });
  return ms;
}
