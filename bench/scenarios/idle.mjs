// The memory of an idle session.
import { runHost } from '../host.mjs';
import { median } from '../interleave.mjs';
import { officialEntry } from '../peer.mjs';
import { section } from '../section.mjs';
import { ROUNDS, scaled, shown } from '../settings.mjs';

export async function run() {
  const sessions = scaled(200);
  const rounds = Math.min(5, ROUNDS);
  const hosts = { bare: 'bare', session: 'coxswain', ...(officialEntry() && { official: 'official' }) };
  const runs = Object.fromEntries(Object.keys(hosts).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, host] of Object.entries(hosts)) {
      runs[name].push(await runHost('parallel', [host, sessions, 0], { execArgv: ['--expose-gc'] }));
    }
  }
  const rows = Object.entries(runs).map(([contender, own]) => ({
    contender,
    idleKb: median(own.map(({ idleKb }) => idleKb)),
    idleHeapKb: median(own.map(({ idleHeapKb }) => idleHeapKb)),
  }));
  return [section('idle', `Memory of an idle session, of ${shown(sessions)}`, rows, { rounds })];
}
