// node bench/hosts/throughput.mjs bare|pulled|query|session|official <messages> <bytes> [times]: the same run several
// times in one process, or once per request of the parent, which receives the time.
import { playerOf } from '../contenders/play.mjs';
import { timed } from '../section.mjs';
import { stubCli } from '../stub.mjs';

const [contender, messages, bytes, times = '1'] = process.argv.slice(2);
const job = { cli: stubCli(), env: { STUB_MESSAGES: messages, STUB_BYTES: bytes } };
const play = await playerOf(contender);

if (process.send) process.on('message', async () => process.send(await once()));
else {
  for (let time = 0; time < Number(times); time++) await once();
  console.log('{}');
}

async function once() {
  const before = process.cpuUsage();
  const { ms } = await timed((each) => play(job, each), Number(messages));
  const { user, system } = process.cpuUsage(before);
  return { ms, cpuMs: (user + system) / 1_000 };
}
