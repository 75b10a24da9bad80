/**
 * Runs the contenders in turn, round after round, and gives the median of each one's ratio to the first in the same
 * round: what slows the whole machine for a while slows all of them. CPU time is the host's alone, without the CLI's.
 * @param {Record<string, () => Promise<number>>} contenders name → one run, in ms; the first is the limit
 * @param {{rounds: number, warmups?: number}} options
 */
export async function interleave(contenders, { rounds, warmups = 2 }) {
  const names = Object.keys(contenders);
  const runs = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -warmups; round < rounds; round++) {
    // Each goes first equally often.
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + Math.max(round, 0)) % names.length];
      const before = process.cpuUsage();
      const ms = await contenders[name]();
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) runs[name].push({ ms, cpuMs: (user + system) / 1_000 });
    }
  }
  const limit = runs[names[0]];
  return names.map((name) => ({
    name,
    medianMs: median(runs[name].map(({ ms }) => ms)),
    ratio: median(runs[name].map(({ ms }, round) => ms / limit[round].ms)),
    cpuRatio: median(runs[name].map(({ cpuMs }, round) => cpuMs / limit[round].cpuMs)),
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
  console.log(`  ${''.padEnd(28)} ${'wall'.padStart(12)}  ${'ratio'.padStart(8)}  ${'CPU ratio'.padStart(10)}`);
  for (const { name, medianMs, ratio, cpuRatio } of rows) {
    const wall = `${medianMs.toFixed(1)} ms`.padStart(12);
    console.log(`  ${name.padEnd(28)} ${wall}  ${ratio.toFixed(3).padStart(7)}×  ${cpuRatio.toFixed(3).padStart(9)}×`);
  }
  const control = rows[1].ratio;
  if (control >= 0.95 && control <= 1.05) return;
  console.log(`  void: the control is ${control.toFixed(3)}; the machine is not idle enough`);
  process.exitCode = 2;
}
