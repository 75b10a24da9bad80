// node bench/hosts/inspector-latency.mjs <sessions> <prompts>: this many live sessions, and a browser that follows them. The
// figures are the times from a prompt to its event in the browser.
import { inspect } from '@coxswain/inspector';
import { inMemoryCli, script } from '@coxswain/testkit';
import { createClient } from 'coxswain';
import { follow, login } from './inspector-page.mjs';

const [sessions, prompts] = process.argv.slice(2).map(Number);
const { transport } = inMemoryCli(script().onPrompt(/(.*)/, (turn) => turn.say('Aye.')));
const client = createClient({ transport });
const inspector = await inspect(client);
const page = await login(inspector.url);
const open = Array.from({ length: sessions }, () => client.openSession());
await Promise.all(open.map((session) => session.ready));
const waiting = new Map();
const events = follow(page, 'none', (event) => {
  if (event.type === 'conversation') waiting.get(event.conversation.sessionId)?.(event.conversation);
  if (event.type === 'snapshot') waiting.get('snapshot')?.(event);
});
await new Promise((resolve) => waiting.set('snapshot', resolve));
const times = [];
for (let n = 0; n < prompts; n++) {
  const session = open[n % open.length];
  const sent = performance.now();
  // The first event after the prompt: the turn may have ended before the next one is written.
  const seen = new Promise((resolve) => waiting.set(session.id, () => resolve(performance.now() - sent)));
  const turn = session.send('hello');
  times.push(await seen);
  waiting.delete(session.id);
  await turn.result();
  await session.idle();
}
times.sort((a, b) => a - b);
events.close();
console.log(
  JSON.stringify({ p50Ms: times[Math.floor(times.length * 0.5)], p95Ms: times[Math.floor(times.length * 0.95)] }),
);
process.exit();
