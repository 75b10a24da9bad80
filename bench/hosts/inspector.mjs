// node bench/hosts/inspector.mjs none|open|browser <messages>: a session reads this many messages, without an inspector,
// with an unused one, and with a browser that follows the conversation. The figures are the peak memory of the
// host and its CPU time.
import { inspect } from '@coxswain/inspector';
import { openSession } from 'coxswain';
import { peakKb } from '../peak.mjs';
import { stubCli } from '../stub.mjs';
import { follow, login } from './inspector-page.mjs';

const [contender, messages] = process.argv.slice(2);
const session = openSession({ cli: stubCli(), env: { STUB_MESSAGES: messages, STUB_BYTES: '900' } });
const inspector = contender === 'none' ? undefined : await inspect(session);
const page = contender === 'browser' ? await login(inspector.url) : undefined;
const events = page ? follow(page, (await page.list())[0].id) : undefined;
let seen = 0;
for await (const message of session.send('go')) if (message.type === 'assistant') seen++;
if (seen !== Number(messages)) throw new Error(`${seen} messages instead of ${messages}`);
const { user, system } = process.cpuUsage();
events?.close();
console.log(JSON.stringify({ cpuMs: (user + system) / 1000, peakMb: peakKb() / 1024 }));
process.exit();
