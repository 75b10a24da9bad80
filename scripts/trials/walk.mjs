// npm run do -- walk --seeds 100 --steps 40 --cli <version>,… --kind session,pool: random walks on the real CLI, in which
// every answer is checked against its prompt and every mode against the disk. Exits with 1 when something is wrong.
// The outcome of the run is saved for `npm run do -- reliability`.
import { mkdirSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { main } from '../../conformance/walk/main.ts';
import { runFacts } from '../reliability/run-facts.mjs';

const RESULTS = new URL('../../.cache/reliability/', import.meta.url);

try {
  process.exitCode = await main(process.argv.slice(2), (run) => {
    mkdirSync(fileURLToPath(RESULTS), { recursive: true });
    const result = JSON.stringify({ ...run, ...runFacts() }, null, 2);
    writeFileSync(new URL('walk.json', RESULTS), `${result}\n`);
  });
} catch (error) {
  console.error(`walk: ${error instanceof Error ? error.stack : error}`);
  process.exitCode = 1;
}
