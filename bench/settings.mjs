/** Paired rounds of each scenario. Fewer than 15 are a quick look, whose figures are not saved. */
export const ROUNDS = Number(process.env.ROUNDS ?? 15);

/** The factor for all counts: `SCALE=0.01` is for checking that everything runs. */
const SCALE = Number(process.env.SCALE ?? 1);

/** Whether this run is only a quick look. */
export const QUICK = ROUNDS < 15 || SCALE !== 1;

/** A count of this run. */
export function scaled(count) {
  return Math.max(1, Math.round(count * SCALE));
}

/** A count in words. */
export function shown(count) {
  return count.toLocaleString('en-GB');
}
