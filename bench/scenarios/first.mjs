// From the call to the first message, in a process that has made such calls before.
import { bare, coxswain, official } from '../contenders/index.mjs';
import { paired } from '../section.mjs';
import { stubCli } from '../stub.mjs';

const CALLS = 10;

export async function run() {
  const job = { cli: stubCli(), env: {}, checkVersion: true };
  const contenders = {
    bare: () => firstOf(bare.oneShot, job),
    control: () => firstOf(bare.oneShot, job),
    query: () => firstOf(coxswain.oneShot, job),
    session: () => firstOf(coxswain.session, job),
    ...(official && { official: () => firstOf(official.oneShot, job) }),
  };
  return [await paired('first', `First message after the call, mean of ${CALLS} calls`, contenders, { hidden: [] })];
}

/** The mean of some calls; what comes after the first message is not timed. */
async function firstOf(oneShot, job) {
  let ms = 0;
  for (let call = 0; call < CALLS; call++) {
    const began = performance.now();
    let seen = false;
    await oneShot(job, () => {
      if (!seen) ms += performance.now() - began;
      seen = true;
    });
  }
  return { ms: ms / CALLS };
}
