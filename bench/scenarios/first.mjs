// From the call to the first message, in a process that has made such calls before.
import { bare, coxswain, official } from '../contenders/index.mjs';
import { paired } from '../section.mjs';
import { stubCli } from '../stub.mjs';

const CALLS = 10;

export async function run() {
  const job = { cli: stubCli(), env: {}, checkVersion: true };
  const oneShots = {
    bare: () => firstOf(bare.oneShot, job),
    control: () => firstOf(bare.oneShot, job),
    query: () => firstOf(coxswain.oneShot, job),
    ...(official && { official: () => firstOf(official.oneShot, job) }),
  };
  // A session does its handshake before it is sent anything, on bare Node too.
  const sessions = {
    bare: () => firstOf(bare.session, job),
    control: () => firstOf(bare.session, job),
    session: () => firstOf(coxswain.session, job),
  };
  const title = `First message after the call, mean of ${CALLS} calls`;
  return [
    await paired('first', title, oneShots, { hidden: [] }),
    await paired('first-session', `${title}, of a session that is started for it`, sessions, { hidden: [] }),
  ];
}

/** The mean of some calls; messages after the first are not timed. */
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
