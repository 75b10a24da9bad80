// Reports the facts of a driver: one message to its parent per fact.

/**
 * Reports a fact. Both SDKs must report the same value; with `expected`, that value.
 * @param {string} fact
 * @param {unknown} value
 * @param {unknown} [expected]
 */
export function report(fact, value, expected) {
  process.send?.({ fact, value: plain(value), ...(expected === undefined ? {} : { expected: plain(expected) }) });
}

/**
 * The text of a promise's rejection; undefined if it fulfils.
 * @param {Promise<unknown>} promise
 * @returns {Promise<unknown>}
 */
export function failure(promise) {
  return promise.then(
    () => undefined,
    (error) => error,
  );
}

/** @param {unknown} value */
function plain(value) {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}
