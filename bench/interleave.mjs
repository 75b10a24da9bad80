/**
 * Runs the contenders in turn, round after round, and gives the median of each one's ratio to the first in the same
 * round: what slows the whole machine for a while slows all of them.
 * @param {Record<string, () => Promise<number>>} contenders name → one run, in ms; the first is the limit
 * @param {{rounds: number, warmups?: number}} options
 */
export async function interleave(contenders, { rounds, warmups = 2 }) {
  const names = Object.keys(contenders);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -warmups; round < rounds; round++) {
    // Each goes first equally often.
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + Math.max(round, 0)) % names.length];
      const ms = await contenders[name]();
      if (round >= 0) times[name].push(ms);
    }
  }
  const [limit] = names;
  return names.map((name) => ({
    name,
    medianMs: median(times[name]),
    ratio: median(times[name].map((ms, round) => ms / times[limit][round])),
  }));
}

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Runs and prints one scenario. Its second contender is the control; far from 1 the run is void. */
export async function runScenario(title, contenders) {
  const rounds = Number(process.env.ROUNDS ?? 15);
  const rows = await interleave(contenders, { rounds });
  console.log(`\n${title}: median of ${rounds} paired rounds`);
  for (const { name, medianMs, ratio } of rows) {
    console.log(`  ${name.padEnd(28)} ${medianMs.toFixed(1).padStart(9)} ms  ${ratio.toFixed(3).padStart(7)}×`);
  }
  const control = rows[1].ratio;
  if (control >= 0.95 && control <= 1.05) return;
  console.log(`  void: the control is ${control.toFixed(3)}; the machine is not idle enough`);
  process.exitCode = 2;
}
