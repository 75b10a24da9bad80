// How a driver reports: one message to its parent for each fact.

/**
 * Reports a fact. Both SDKs must give the same value; with `expected`, that value.
 * @param {string} fact
 * @param {unknown} value
 * @param {unknown} [expected]
 */
export function report(fact, value, expected) {
  process.send?.({ fact, value: plain(value), ...(expected === undefined ? {} : { expected: plain(expected) }) });
}

/**
 * The text of what a promise rejects with; undefined when it fulfils.
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
