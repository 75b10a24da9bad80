// 100,000 messages: short, usual and long ones. Each contender has a separate process, so that the state of the
// compiler and the garbage collector of one does not affect another.
import { officialEntry } from '../peer.mjs';
import { residentHost } from '../resident.mjs';
import { paired } from '../section.mjs';
import { scaled, shown } from '../settings.mjs';

const SIZES = [
  { id: 'messages-0.2k', size: '0.2 KB', bytes: 205 },
  { id: 'messages-1k', size: '1 KB', bytes: 1_024 },
  { id: 'messages-10k', size: '10 KB', bytes: 10_240, warmups: 1 },
];

export async function run() {
  const count = scaled(100_000);
  const sections = [];
  for (const { id, size, bytes, warmups = 2 } of SIZES) {
    const kinds = { bare: 'bare', control: 'bare', pulled: 'pulled', query: 'query', session: 'session' };
    if (officialEntry()) kinds.official = 'official';
    const hosts = Object.entries(kinds).map(([name, kind]) => [name, residentHost('throughput', [kind, count, bytes])]);
    const contenders = Object.fromEntries(hosts.map(([name, host]) => [name, host.run]));
    try {
      sections.push(await paired(id, `${shown(count)} messages of ${size}`, contenders, { warmups }));
    } finally {
      for (const [, host] of hosts) host.stop();
    }
  }
  return sections;
}
