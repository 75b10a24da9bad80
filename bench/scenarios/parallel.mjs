// Many concurrent sessions: each count in fresh processes, all starts at the same time.
import { runHost } from '../host.mjs';
import { officialEntry } from '../peer.mjs';
import { paired } from '../section.mjs';
import { scaled, shown } from '../settings.mjs';

const COUNTS = [
  { id: 'parallel-50', sessions: 50, messages: 500 },
  { id: 'parallel-200', sessions: 200, messages: 500 },
  { id: 'parallel-1000', sessions: 1_000, messages: 200 },
];

export async function run() {
  const sections = [];
  for (const { id, sessions, messages } of COUNTS) {
    const count = scaled(sessions);
    const host = (contender) => async () => {
      const { wallMs, idleHeapKb, ...rest } = await runHost('parallel', [contender, count, messages], GC);
      return rest;
    };
    const contenders = {
      bare: host('bare'),
      control: host('bare'),
      same: host('same'),
      session: host('coxswain'),
      ...(officialEntry() && { official: host('official') }),
    };
    const title = `${shown(count)} sessions side by side, ${messages} messages each`;
    sections.push(await paired(id, title, contenders, { warmups: 0 }));
  }
  return sections;
}

const GC = { execArgv: ['--expose-gc'] };
