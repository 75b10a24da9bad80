// node bench/hosts/throughput.mjs bare|query|session <messages> <bytes> <times>: the same run several times in one process.
import { bare, coxswain } from '../contenders/index.mjs';
import { stubCli } from '../stub.mjs';

const [contender, messages, bytes, times] = process.argv.slice(2);
const runs = { bare: bare.oneShot, query: coxswain.oneShot, session: coxswain.session };
const job = { cli: stubCli(), env: { STUB_MESSAGES: messages, STUB_BYTES: bytes } };
let seen = 0;
for (let time = 0; time < Number(times); time++) {
  await runs[contender](job, (message) => {
    if (message.type === 'assistant') seen++;
  });
}
if (seen !== Number(messages) * Number(times)) throw new Error(`${seen} messages`);
console.log('{}');
