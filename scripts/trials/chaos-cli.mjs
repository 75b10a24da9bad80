// npm run do -- chaos:cli [--turns 100] [--kills 10] [--conversations 10] [--workers 2] [--slots 3] [--no-asks] [--cli 2.1.325]
// Runs turns of a fleet on the real CLI while workers die; compares the requests to the model with the records. A third of the turns ask
// for a command: they are parked, answered later, and resumed by any worker, each with a separate home.
import process from 'node:process';
import { parseArgs } from 'node:util';
import { runKills } from '../../conformance/fleet/kills.ts';
import { fetchCli, releases } from '../fetch/cli.mjs';
import { ensurePostgres } from '../fetch/postgres.mjs';

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '100' },
    kills: { type: 'string', default: '10' },
    conversations: { type: 'string', default: '10' },
    workers: { type: 'string', default: '2' },
    slots: { type: 'string', default: '3' },
    'no-asks': { type: 'boolean', default: false },
    cli: { type: 'string' },
  },
});

ensurePostgres();
await fetchCli(values.cli ?? releases().pinned, { log: console.error });
const report = await runKills({
  turns: Number(values.turns),
  kills: Number(values.kills),
  conversations: Number(values.conversations),
  workers: Number(values.workers),
  slots: Number(values.slots),
  asking: !values['no-asks'],
  ...(values.cli !== undefined && { version: values.cli }),
  report: (line) => console.error(line),
});
console.log(JSON.stringify(report, null, 2));
process.exit(report.problems.length === 0 ? 0 : 1);
