// Whether a message costs more after many others.
import { bare, coxswain, official } from '../contenders/index.mjs';
import { paired, timed } from '../section.mjs';
import { scaled, shown } from '../settings.mjs';
import { stubCli } from '../stub.mjs';

export async function run() {
  const [few, many] = [scaled(100_000), scaled(1_000_000)];
  const compare = (run) => async () => {
    const short = await timed((each) => run(jobOf(few), each), few);
    const long = await timed((each) => run(jobOf(many), each), many);
    return { ms: long.ms, growth: long.ms / many / (short.ms / few) };
  };
  const contenders = {
    bare: compare(bare.oneShot),
    control: compare(bare.oneShot),
    query: compare(coxswain.oneShot),
    session: compare(coxswain.session),
    ...(official && { official: compare(official.oneShot) }),
  };
  const title = `${shown(many)} messages of 0.2 KB, and the cost of each against ${shown(few)}`;
  return [await paired('million', title, contenders, { warmups: 1 })];
}

function jobOf(count) {
  return { cli: stubCli(), env: { STUB_MESSAGES: String(count), STUB_BYTES: '205' } };
}
