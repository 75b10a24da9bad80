// One line of 16 MB, as an image or a large file produces it.
import { bare, coxswain, official } from '../contenders/index.mjs';
import { paired, timed } from '../section.mjs';
import { stubCli } from '../stub.mjs';

const BYTES = 16 * 1024 * 1024;

export async function run() {
  const job = {
    cli: stubCli(),
    env: { STUB_MESSAGES: '1', STUB_BYTES: String(BYTES) },
    maxLineBytes: 2 * BYTES,
  };
  const line = (oneShot) => () => timed((each) => oneShot(job, each), 1);
  const contenders = {
    bare: line(bare.oneShot),
    control: line(bare.oneShot),
    query: line(coxswain.oneShot),
    session: line(coxswain.session),
    ...(official && { official: line(official.oneShot) }),
  };
  return [await paired('line', 'One line of 16 MB', contenders)];
}
