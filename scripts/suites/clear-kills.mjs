// npm run do -- kills:clear --rounds 50 [--cli <version>,…] [--seed 1]: kills the CLI of restarting sessions at random
// moments around clear(), and fails if one does not recover. Takes a few minutes per release.
import process from 'node:process';
import { parseArgs } from 'node:util';
import { killAroundClear } from '../../conformance/restart/around-clear.ts';
import { randomFrom } from '../../conformance/restart/random.ts';
import { fetchCli, releases } from '../fetch/cli.mjs';

const { tested, peculiar } = releases();
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    cli: { type: 'string', default: [...tested, ...Object.values(peculiar)].join(',') },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

for (const version of values.cli.split(',')) {
  await fetchCli(version);
  const random = randomFrom(Number(values.seed));
  const rounds = Array.from({ length: Number(values.rounds) }, () => round(random));
  const problems = await killAroundClear(version, rounds);
  for (const problem of problems) console.error(problem);
  console.log(`${version}: ${problems.length} of ${rounds.length} sessions did not recover (seed ${values.seed})`);
  if (problems.length > 0) process.exitCode = 1;
}

/**
 * @param {() => number} random
 * @returns {import('../../conformance/restart/around-clear.ts').ClearRound}
 */
function round(random) {
  const turnsBefore = Math.floor(random() * 3);
  const kind = random();
  if (kind < 0.5) return { point: { sent: random() * 200 }, turnsBefore };
  return kind < 0.65 ? { point: 'init', turnsBefore } : { point: { cleared: random() * 150 }, turnsBefore };
}
