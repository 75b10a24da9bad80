// The inspector in a host: its cost, and the time until an event reaches a browser.
import { runHost } from '../host.mjs';
import { median } from '../interleave.mjs';
import { section } from '../section.mjs';
import { ROUNDS, scaled, shown } from '../settings.mjs';

const MESSAGES = 20_000;
const SESSIONS = 200;
const CONTENDERS = { none: 'no inspector', open: 'inspector, no browser', browser: 'inspector and a browser' };

export async function run() {
  const count = scaled(MESSAGES);
  const rounds = Math.min(3, ROUNDS);
  const runs = Object.fromEntries(Object.keys(CONTENDERS).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(runs)) runs[name].push(await runHost('inspector', [name, count]));
  }
  const rows = Object.entries(CONTENDERS).map(([name, contender]) => ({
    contender,
    cpuMs: median(runs[name].map(({ cpuMs }) => cpuMs)),
    peakMb: median(runs[name].map(({ peakMb }) => peakMb)),
  }));
  const latency = await runHost('inspector-latency', [scaled(SESSIONS), scaled(400)]);
  const { p50Ms, p95Ms } = latency;
  return [
    section('inspector', `The inspector in a host, ${shown(count)} messages of 1 KB in a session`, rows, { rounds }),
    section(
      'inspector-latency',
      `From a prompt to the browser, ${shown(scaled(SESSIONS))} live sessions`,
      [{ contender: 'inspector', p50Ms, p95Ms }],
      { rounds: 1 },
    ),
  ];
}
