// npm run do -- conformance: measures every feature on releases of the real CLI; without arguments it lists its options.
import process from 'node:process';
import { main } from '../../conformance/matrix/main.ts';

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`conformance: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
