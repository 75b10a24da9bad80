// npm run do -- chaos [--turns 10000] [--conversations 200] [--workers 4] [--slots 8] [--processes 1] [--every 3000] [--lease 3000]
//   [--outage 30000] [--prepare 0] [--asks 0] [--cold] [--harms everything|crashes] [--postgres folder] [--seed n,…]
// Runs turns of a fleet while its workers, its connections and PostgreSQL die, for each seed. Prints seed, time and findings; exits
// with 1 if there is a problem. With --asks 0.33, a third of the turns ask for their tools: they are parked, answered at random times, and
// resumed elsewhere. Two thirds of the conversations may run several turns on one process, unless --cold is given. With --harms crashes, only PostgreSQL crashes, and no turn that an agent finished may be lost.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runChaos } from '../../packages/fleet/test/chaos/chaos.ts';
import { keepReport, newSeed } from '../../packages/fleet/test/chaos/plan.ts';
import { ensurePostgres } from '../fetch/postgres.mjs';

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '10000' },
    conversations: { type: 'string', default: '200' },
    workers: { type: 'string', default: '4' },
    slots: { type: 'string', default: '8' },
    processes: { type: 'string', default: '1' },
    every: { type: 'string', default: '3000' },
    lease: { type: 'string', default: '3000' },
    outage: { type: 'string', default: '30000' },
    prepare: { type: 'string', default: '0' },
    asks: { type: 'string', default: '0' },
    cold: { type: 'boolean', default: false },
    harms: { type: 'string', default: 'everything' },
    postgres: { type: 'string' },
    seed: { type: 'string' },
  },
});

ensurePostgres();
const ended = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => ended.abort(new Error(`ended by ${name}`)));
const seeds = values.seed === undefined ? [newSeed()] : values.seed.split(',').map(Number);
const cache = fileURLToPath(new URL('../../.cache', import.meta.url));
mkdirSync(cache, { recursive: true });
let failed = false;
for (const seed of seeds) {
  const report = await runChaos({
    turns: Number(values.turns),
    conversations: Number(values.conversations),
    workers: Number(values.workers),
    slots: Number(values.slots),
    seed,
    everyMs: Number(values.every),
    leaseMs: Number(values.lease),
    outageMs: Number(values.outage),
    processWorkers: Number(values.processes),
    maxFaults: Number.POSITIVE_INFINITY,
    workMs: 0,
    prepareMs: Number(values.prepare),
    asks: Number(values.asks),
    warm: !values.cold,
    harms: values.harms === 'crashes' ? 'crashes' : 'everything',
    ...(values.postgres !== undefined && { binaries: values.postgres }),
    report: (line) => console.error(line),
    signal: ended.signal,
  }).catch((error) => {
    if (!ended.signal.aborted) throw error;
    console.error(error.message);
    process.exit(130);
  });
  keepReport(join(cache, 'chaos.ndjson'), report);
  console.log(JSON.stringify(report, null, 2));
  failed ||= report.problems.length > 0;
}
process.exit(failed ? 1 : 0);
