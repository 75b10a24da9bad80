// node bench/hosts/slow-reader.mjs bare|query|session|official <messages> <ms>: a reader takes one message, pauses
// this long, then reads on with occasional pauses. The figure is the peak memory of the host.
import { setTimeout as sleep } from 'node:timers/promises';
import { peakKb } from '../peak.mjs';
import { stubCli } from '../stub.mjs';

const [contender, messages, awayMs] = process.argv.slice(2);
/** Time limit for the official SDK to read its backlog; the number of messages read by then is reported. */
const READ_MS = 180_000;
const job = { cli: stubCli(), env: { STUB_MESSAGES: messages, STUB_BYTES: '900' } };
let seen = 0;
const until = performance.now() + Number(awayMs) + READ_MS;
for await (const message of (await reader())(job)) {
  if (message.type !== 'assistant') continue;
  seen++;
  if (seen === 1) await sleep(Number(awayMs));
  else if (seen % 2_000 === 0) {
    await sleep(1);
    if (contender === 'official' && performance.now() > until) tellAndExit();
  }
}
if (seen !== Number(messages)) throw new Error(`${seen} messages instead of ${messages}`);
tellAndExit();

function tellAndExit() {
  console.log(JSON.stringify({ peakMb: peakKb() / 1024, readShare: seen / Number(messages) }));
  process.exit();
}

async function reader() {
  if (contender === 'bare' || contender === 'official') return (await import(`../contenders/${contender}.mjs`)).stream;
  const { stream, turnStream } = await import('../contenders/coxswain.mjs');
  return contender === 'session' ? turnStream : stream;
}
