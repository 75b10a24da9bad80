// A reader that pauses while the CLI keeps writing: the memory of the host.
import { runHost } from '../host.mjs';
import { median } from '../interleave.mjs';
import { officialEntry } from '../peer.mjs';
import { section } from '../section.mjs';
import { ROUNDS, scaled, shown } from '../settings.mjs';

const AWAY_MS = scaled(6_000);
const AMOUNTS = [
  // The official SDK buffers unread messages, at about 1 KB each: ten million would exceed the heap.
  { id: 'slow-1m', messages: 1_000_000, rounds: 3, official: true },
  { id: 'slow-10m', messages: 10_000_000, rounds: 1 },
];

export async function run() {
  const sections = [];
  for (const { id, messages, rounds, official } of AMOUNTS) {
    const count = scaled(messages);
    const times = Math.min(rounds, ROUNDS);
    const contenders = ['bare', 'query', 'session', ...(official && officialEntry() ? ['official'] : [])];
    const runs = Object.fromEntries(contenders.map((contender) => [contender, []]));
    for (let round = 0; round < times; round++) {
      for (const contender of contenders) {
        // Reading its backlog takes long, and its peak is far from the others'.
        if (contender === 'official' && round > 0) continue;
        runs[contender].push(await runHost('slow-reader', [contender, count, AWAY_MS]));
      }
    }
    const rows = contenders.map((contender) => ({
      contender,
      peakMb: median(runs[contender].map(({ peakMb }) => peakMb)),
      readShare: median(runs[contender].map(({ readShare }) => readShare)),
    }));
    const title = `Memory of the host, slow reader, ${shown(count)} messages${official ? ' (official SDK: one round)' : ''}`;
    sections.push(section(id, title, rows, { rounds: times }));
  }
  return sections;
}
