// npm run walk -- --seeds 100 --steps 40 --cli 2.1.325,2.1.197 --kind session,pool: random walks on the real CLI, in which
// every answer is checked against its prompt and every mode against the disk. Exits with 1 when something is wrong.
import process from 'node:process';
import { main } from '../conformance/walk/main.ts';

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`walk: ${error instanceof Error ? error.stack : error}`);
  process.exitCode = 1;
}
