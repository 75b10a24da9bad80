// 100,000 messages of about 0.9 KB: bare Node (the limit), the same again (the control), Coxswain, the official SDK.
import { query, startSession } from 'coxswain';
import { bareOneShot } from './bare.mjs';
import { runScenario } from './interleave.mjs';
import { officialSdk } from './peer.mjs';
import { stubCli } from './stub.mjs';

const MESSAGES = 100_000;
const stub = stubCli();
const env = { STUB_MESSAGES: String(MESSAGES), STUB_BYTES: '900' };
const official = await officialSdk();

await runScenario(`${MESSAGES} messages of 0.9 KB`, {
  bare: () => timed(() => bareOneShot(stub, env)),
  'bare again (control)': () => timed(() => bareOneShot(stub, env)),
  'coxswain query()': () => timed(() => count(query('go', { cli: stub, env, skipVersionCheck: true }))),
  'coxswain session': () => timed(session),
  ...(official && { 'official SDK': () => timed(() => count(peer())) }),
});

async function session() {
  const session = await startSession({ cli: stub, env, skipVersionCheck: true });
  const seen = await count(session.send('go'));
  await session.stop();
  return seen;
}

function peer() {
  return official.query({
    prompt: 'go',
    options: { pathToClaudeCodeExecutable: stub, env: { ...process.env, ...env } },
  });
}

async function count(messages) {
  let seen = 0;
  for await (const message of messages) if (message.type === 'assistant') seen++;
  return seen;
}

async function timed(run) {
  const start = performance.now();
  const seen = await run();
  if (seen !== MESSAGES) throw new Error(`${seen} messages instead of ${MESSAGES}`);
  return performance.now() - start;
}
