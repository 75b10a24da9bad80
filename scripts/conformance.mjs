// npm run conformance: what releases of the real CLI make of every feature; without arguments it tells its options.
import process from 'node:process';
import { main } from '../conformance/matrix/main.ts';

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`conformance: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
