import { ROUNDS } from './settings.mjs';

/**
 * Runs the contenders in turn, round after round, and returns the median of each one's ratio to the first in the same
 * round: a temporary slowdown of the machine affects all of them.
 * @param {Record<string, () => Promise<{ms: number, cpuMs?: number}>>} contenders name → one run; the first is the
 * limit, the second the same again as the control. CPU time is the host's alone, without the CLI's. Other figures of a
 * run are shown as their median.
 */
export async function interleave(contenders, { rounds = ROUNDS, warmups = 2 } = {}) {
  const names = Object.keys(contenders);
  const runs = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -warmups; round < rounds; round++) {
    // Each goes first equally often.
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + Math.max(round, 0)) % names.length];
      const before = process.cpuUsage();
      const run = await contenders[name]();
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) runs[name].push({ cpuMs: (user + system) / 1_000, ...run });
    }
  }
  return names.map((name) => rowOf(name, runs));
}

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function rowOf(name, runs) {
  const own = runs[name];
  const limit = Object.values(runs)[0];
  const { official, same } = runs;
  const paired = (other, compare) => median(own.map((run, round) => compare(run, other[round])));
  const { ms, cpuMs, ...extras } = own[0];
  return {
    contender: name,
    wallMs: median(own.map((run) => run.ms)),
    ratio: paired(limit, (run, bare) => run.ms / bare.ms),
    beyondMs: paired(limit, (run, bare) => run.ms - bare.ms),
    cpuMs: median(own.map((run) => run.cpuMs)),
    cpuRatio: paired(limit, (run, bare) => run.cpuMs / bare.cpuMs),
    ...(same && { ofSame: paired(same, (run, bare) => run.ms / bare.ms) }),
    ...(official && {
      ofOfficial: paired(official, (run, peer) => run.ms / peer.ms),
      cpuOfOfficial: paired(official, (run, peer) => run.cpuMs / peer.cpuMs),
    }),
    ...Object.fromEntries(Object.keys(extras).map((key) => [key, median(own.map((run) => run[key]))])),
  };
}
