// All benchmarks, one after the other, each in a process of its own.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const wanted = process.argv.slice(2);
const all = ['import', 'throughput', 'hooks', 'parallel'];
for (const name of wanted.length > 0 ? wanted : all) {
  const { status } = spawnSync(process.execPath, [fileURLToPath(new URL(`./${name}.mjs`, import.meta.url))], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
