// npm run do -- test:clients [--node 22]: runs programs and unmodified clients from npm on the official SDK and on the drop-in, and
// compares all their observations.
// `--node 22` uses the newest clients, which need Node 22; that Node is installed from npm if this one is older.
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { clientNode, stageClients } from '../../packages/drop-in/clients/install.mjs';
import { fetchCli, releases } from '../fetch/cli.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({ options: { node: { type: 'string', default: '20' } } });
const set = values.node === '20' ? 'node-20' : values.node === '22' ? 'node-22' : undefined;
if (set === undefined) {
  console.error('usage: npm run do -- test:clients [--node 20|22]');
  process.exit(2);
}

await fetchCli(releases().pinned, { log: (text) => console.error(text) });
stageClients(set);
clientNode(set);
// Only the clients differ between the sets.
const tests = ['--project', 'clients', '--reporter=verbose', set === 'node-20' ? 'both' : 'both/clients.real.test.ts'];
const done = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...tests], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, COXSWAIN_CLIENTS: set },
});
process.exitCode = done.status ?? 1;
