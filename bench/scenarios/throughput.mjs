// 100,000 messages, short, usual and long ones.
import { bare, coxswain, official } from '../contenders/index.mjs';
import { paired, timed } from '../section.mjs';
import { scaled, shown } from '../settings.mjs';
import { stubCli } from '../stub.mjs';

const SIZES = [
  { id: 'messages-0.2k', size: '0.2 KB', bytes: 205 },
  { id: 'messages-1k', size: '1 KB', bytes: 1_024 },
  { id: 'messages-10k', size: '10 KB', bytes: 10_240, warmups: 1 },
];

export async function run() {
  const count = scaled(100_000);
  const sections = [];
  for (const { id, size, bytes, warmups = 2 } of SIZES) {
    const job = { cli: stubCli(), env: { STUB_MESSAGES: String(count), STUB_BYTES: String(bytes) } };
    const contenders = {
      bare: () => timed((each) => bare.oneShot(job, each), count),
      control: () => timed((each) => bare.oneShot(job, each), count),
      pulled: () => timed((each) => bare.pulled(job, each), count),
      query: () => timed((each) => coxswain.oneShot(job, each), count),
      session: () => timed((each) => coxswain.session(job, each), count),
      ...(official && { official: () => timed((each) => official.oneShot(job, each), count) }),
    };
    sections.push(await paired(id, `${shown(count)} messages of ${size}`, contenders, { warmups }));
  }
  return sections;
}
