// What `import 'coxswain'` costs, in processes of their own, minus what an empty module costs.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median } from './interleave.mjs';
import { officialSdk } from './peer.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 21);
const modules = { empty: 'data:text/javascript,', coxswain: import.meta.resolve('coxswain') };
if (await officialSdk()) {
  const path = '../.cache/bench/official/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs';
  modules['official SDK'] = new URL(path, import.meta.url).href;
}

const times = Object.fromEntries(Object.keys(modules).map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, url] of Object.entries(modules)) times[name].push(importOnce(url));
}
const empty = median(times.empty);
console.log(`\nimport, median of ${ROUNDS}, minus an empty module (${empty.toFixed(1)} ms)`);
for (const name of Object.keys(modules).slice(1)) {
  console.log(`  ${name.padEnd(28)} ${(median(times[name]) - empty).toFixed(1).padStart(9)} ms`);
}

function importOnce(url) {
  const code = `const t = performance.now(); await import(${JSON.stringify(url)}); console.log(performance.now() - t)`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
    cwd: fileURLToPath(new URL('.', import.meta.url)),
  });
  return Number(stdout);
}
