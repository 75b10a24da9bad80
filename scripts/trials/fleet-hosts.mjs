// npm run do -- fleet:hosts [--turns 300] [--conversations 30] [--hosts 3] [--cuts 12] [--lease 4000] [--every 1500] [--work 300] [--seed n]
// Runs turns of a fleet on hosts of their own (network namespaces of this machine, so only for root) against one PostgreSQL, a third of the
// conversations on the real CLI, with warm processes and a workspace. Cuts and restores their links meanwhile, and checks that nothing is
// lost, doubled, reordered or changed. Prints the findings; exits with 1 if there is a problem.
import process from 'node:process';
import { parseArgs } from 'node:util';
import { canMakeHosts } from '../../conformance/fleet/hosts/network.ts';
import { runHosts } from '../../conformance/fleet/hosts/run-hosts.ts';
import { newSeed } from '../../packages/fleet/test/chaos/plan.ts';
import { fetchCli, releases } from '../fetch/cli.mjs';
import { ensurePostgres } from '../fetch/postgres.mjs';

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '300' },
    conversations: { type: 'string', default: '30' },
    hosts: { type: 'string', default: '3' },
    cuts: { type: 'string', default: '12' },
    lease: { type: 'string', default: '4000' },
    every: { type: 'string', default: '1500' },
    work: { type: 'string', default: '300' },
    seed: { type: 'string' },
  },
});

if (!canMakeHosts()) {
  console.error('fleet:hosts needs root and the programs ip and bridge (iproute2), to make network namespaces.');
  process.exit(1);
}
// The hosts are removed when the process exits.
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => process.exit(130));
ensurePostgres();
await fetchCli(releases().pinned, { log: console.error });
const report = await runHosts({
  turns: Number(values.turns),
  conversations: Number(values.conversations),
  hosts: Number(values.hosts),
  cuts: Number(values.cuts),
  leaseMs: Number(values.lease),
  everyMs: Number(values.every),
  workMs: Number(values.work),
  seed: values.seed === undefined ? newSeed() : Number(values.seed),
  report: (line) => console.error(line),
});
console.log(JSON.stringify(report, null, 2));
process.exit(report.problems.length === 0 ? 0 : 1);
