// The cost that a pool adds to a turn: jobs of one key, one after the other, on the session of that key.
import { createPool } from 'coxswain';
import { bare, coxswain, official } from '../contenders/index.mjs';
import { paired } from '../section.mjs';
import { scaled, shown } from '../settings.mjs';
import { stubCli } from '../stub.mjs';

export async function run() {
  const count = scaled(2_000);
  const job = { cli: stubCli(), env: {} };
  const contenders = {
    bare: () => turns(count, bare.open(job)),
    control: () => turns(count, bare.open(job)),
    session: () => turns(count, coxswain.open(job)),
    pool: () => turns(count, poolOf(job)),
    ...(official && { official: () => turns(count, official.open(job)) }),
  };
  return [await paired('pool', `${shown(count)} turns of one conversation on one core`, contenders)];
}

/** Only the turns are timed: a start would hide the difference. */
async function turns(count, opening) {
  const { turn, stop } = await opening;
  await turn(() => {});
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  for (let i = 0; i < count; i++) await turn(() => {});
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  await stop();
  return { ms, cpuMs: (user + system) / 1_000 };
}

async function poolOf({ cli, env }) {
  const pool = createPool({ size: 1, defaults: { cli, env, versionCheck: 'off' } });
  return {
    turn: async (onMessage) => {
      const outcome = await pool.run({ key: 'a', prompt: 'go' }, { onMessage });
      if (outcome.status !== 'finished') throw new Error(outcome.error.message);
    },
    stop: () => pool.close(),
  };
}
