// npm run walk: random walks on the real CLI; see conformance/walk/main.ts.
import process from 'node:process';
import { main } from '../conformance/walk/main.ts';

process.exitCode = await main(process.argv.slice(2));
