// npm run do -- fuzz --frames 5000000 --seed 1: feeds random frames, cut anywhere, to all pure code between the CLI's
// stdout and a session, and compares each result with the generator's. Prints one line of JSON; exits with 1 and reports the seed and
// the frame if a result differs.
import process from 'node:process';
import { parseArgs } from 'node:util';
import { runFuzz } from './run.mjs';

const { values } = parseArgs({
  options: {
    frames: { type: 'string', default: '5000000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const frames = Number(values.frames);
const seed = Number(values.seed);
if (!(frames > 0) || !Number.isInteger(seed)) {
  console.error('fuzz: --frames and --seed take numbers');
  process.exit(2);
}

// One line in ten becomes an error, and its stack trace is never read.
process.setSourceMapsEnabled(false);
Error.stackTraceLimit = 0;
const report = runFuzz({ frames, seed });
console.log(JSON.stringify(report));
process.exitCode = 'failure' in report ? 1 : 0;
