// npm run chaos -- [--turns 10000] [--conversations 200] [--workers 4] [--slots 8] [--processes 1] [--every 3000] [--lease 3000] [--outage 30000] [--seed n]
// Turns of a fleet while its workers, its connections and PostgreSQL die. Prints seed, time and what was found; exits with 1 on a problem.
import { mkdirSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { keepReport, newSeed, runChaos } from '../packages/fleet/test/chaos/chaos.ts';
import { ensurePostgres } from './fetch-postgres.mjs';

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
    seed: { type: 'string' },
  },
});

ensurePostgres();
const ended = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => ended.abort(new Error(`ended by ${name}`)));
const report = await runChaos({
  turns: Number(values.turns),
  conversations: Number(values.conversations),
  workers: Number(values.workers),
  slots: Number(values.slots),
  seed: values.seed === undefined ? newSeed() : Number(values.seed),
  everyMs: Number(values.every),
  leaseMs: Number(values.lease),
  outageMs: Number(values.outage),
  processWorkers: Number(values.processes),
  maxFaults: Number.POSITIVE_INFINITY,
  workMs: 0,
  report: (line) => console.error(line),
  signal: ended.signal,
}).catch((error) => {
  if (!ended.signal.aborted) throw error;
  console.error(error.message);
  process.exit(130);
});
mkdirSync(fileURLToPath(new URL('../.cache', import.meta.url)), { recursive: true });
keepReport(fileURLToPath(new URL('../.cache/chaos.ndjson', import.meta.url)), report);
console.log(JSON.stringify(report, null, 2));
process.exit(report.problems.length === 0 ? 0 : 1);
