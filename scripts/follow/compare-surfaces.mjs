/**
 * The differences between two lists or maps.
 * @typedef {{ kind: string, added: readonly string[], removed: readonly string[], changed: readonly string[] }} Change
 * @typedef {import('../../conformance/matrix/surface.ts').Surface} Surface
 */

/**
 * Compares the surfaces of two releases of the CLI. Kinds without a change are omitted.
 * @param {Surface} before
 * @param {Surface} after
 * @returns {readonly Change[]}
 */
export function compareSurfaces(before, after) {
  return [
    lists('flags', before.flags, after.flags),
    lists('capabilities', before.capabilities, after.capabilities),
    lists('hook events', before.hookEvents, after.hookEvents),
    lists('tools', before.tools, after.tools),
    lists('control requests', before.controlRequests, after.controlRequests),
    lists('fields of the handshake', before.handshake, after.handshake),
    maps('schemas of tools', before.toolSchemas, after.toolSchemas),
    maps('messages', before.messages, after.messages),
  ].filter(({ added, removed, changed }) => added.length + removed.length + changed.length > 0);
}

/**
 * @param {string} kind
 * @param {readonly string[]} before
 * @param {readonly string[]} after
 * @returns {Change}
 */
function lists(kind, before, after) {
  return { kind, added: only(after, before), removed: only(before, after), changed: [] };
}

/**
 * @param {string} kind
 * @param {Readonly<Record<string, string | readonly string[]>>} before
 * @param {Readonly<Record<string, string | readonly string[]>>} after
 * @returns {Change}
 */
function maps(kind, before, after) {
  const names = { before: Object.keys(before), after: Object.keys(after) };
  const changed = names.after.flatMap((name) => {
    const [old, now] = [before[name], after[name]];
    if (old === undefined || now === undefined || JSON.stringify(old) === JSON.stringify(now)) return [];
    return [`${name}: ${difference(old, now)}`];
  });
  return { kind, added: only(names.after, names.before), removed: only(names.before, names.after), changed };
}

/**
 * @param {string | readonly string[]} before
 * @param {string | readonly string[]} after
 */
function difference(before, after) {
  if (typeof before === 'string' || typeof after === 'string') return words(wordsOf(before), wordsOf(after));
  return words(before, after);
}

/**
 * @param {readonly string[]} before
 * @param {readonly string[]} after
 */
function words(before, after) {
  const added = only(after, before).map((word) => `+${word}`);
  const removed = only(before, after).map((word) => `-${word}`);
  return [...added, ...removed].join(' ') || 'the order or the wording';
}

/**
 * The property names in a JSON schema: its texts change in almost every release.
 * @param {string | readonly string[]} schema
 */
function wordsOf(schema) {
  return [...String(schema).matchAll(/"(\w+)":\{/g)].map(([, name = '']) => name);
}

/**
 * @param {readonly string[]} these
 * @param {readonly string[]} others
 */
function only(these, others) {
  return these.filter((one) => !others.includes(one));
}
