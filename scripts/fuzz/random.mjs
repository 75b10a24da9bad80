/**
 * Pseudo-random numbers from a seed (mulberry32).
 * @param {number} seed
 */
export function seeded(seed) {
  let state = seed >>> 0;
  /** From 0 up to 1. */
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    /** A whole number below `end`. @param {number} end */
    below: (end) => Math.floor(next() * end),
    /** @template T @param {readonly T[]} list @returns {T} */
    pick: (list) => /** @type {T} */ (list[Math.floor(next() * list.length)]),
    /** @param {number} probability */
    chance: (probability) => next() < probability,
  };
}

/** @typedef {ReturnType<typeof seeded>} Random */
