// 200 sessions side by side, 500 messages each.
import { startSession } from 'coxswain';
import { bareSession } from './bare.mjs';
import { runScenario } from './interleave.mjs';
import { stubCli } from './stub.mjs';

const SESSIONS = Number(process.env.SESSIONS ?? 200);
const MESSAGES = 500;
const stub = stubCli();
const env = { STUB_MESSAGES: String(MESSAGES), STUB_BYTES: '900' };

await runScenario(`${SESSIONS} sessions side by side, ${MESSAGES} messages each`, {
  bare: () => timed(async () => (await bareSession(stub, env)).messages),
  'bare again (control)': () => timed(async () => (await bareSession(stub, env)).messages),
  'coxswain session': () => timed(coxswain),
});

async function coxswain() {
  const session = await startSession({ cli: stub, env, skipVersionCheck: true, limits: { parallelStarts: SESSIONS } });
  let seen = 0;
  for await (const message of session.send('go')) if (message.type === 'assistant') seen++;
  await session.stop();
  return seen;
}

async function timed(one) {
  const start = performance.now();
  const counts = await Promise.all(Array.from({ length: SESSIONS }, one));
  if (counts.some((seen) => seen !== MESSAGES)) throw new Error(`messages are missing: ${counts}`);
  return performance.now() - start;
}
