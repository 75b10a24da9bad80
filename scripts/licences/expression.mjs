/**
 * Whether an SPDX expression can be fulfilled with the allowed licences: `OR` needs one side, `AND` both.
 * @param {string} expression Such as `(MIT OR CC0-1.0)`.
 * @param {readonly string[]} allowed
 * @returns {boolean}
 */
export function isAllowed(expression, allowed) {
  const tokens = expression.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  /** @returns {boolean} */
  const either = () => {
    let result = both();
    while (tokens[at] === 'OR') {
      at += 1;
      result = both() || result;
    }
    return result;
  };
  /** @returns {boolean} */
  const both = () => {
    let result = one();
    while (tokens[at] === 'AND') {
      at += 1;
      result = one() && result;
    }
    return result;
  };
  /** @returns {boolean} */
  const one = () => {
    const token = tokens[at] ?? '';
    at += 1;
    if (token !== '(') return allowed.includes(token);
    const result = either();
    at += 1;
    return result;
  };
  return either() && at === tokens.length;
}
