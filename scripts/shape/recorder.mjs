// Collects the calls that instrumented sources report.

/**
 * One call: the function, the object it belongs to (a number per instance, `undefined` for a plain function) and the file that
 * called it (`undefined` when a promise, a timer or the caller's own code did).
 * @typedef {{ readonly place: string, readonly object: number | undefined, readonly from: string | undefined }} Call
 */

/** @type {Call[] | undefined} */
let calls;
/** @type {WeakMap<object, number>} */
const numbers = new WeakMap();
let objects = 0;

/** @param {string} folder what the names of files in the reports are relative to */
export function listen(folder) {
  Error.stackTraceLimit = 40;
  Object.assign(globalThis, {
    /** @param {string} place @param {object} [object] */
    enteredFunction(place, object) {
      calls?.push({ place, object: object && numberOf(object), from: callerOf(folder) });
    },
  });
}

export function begin() {
  calls = [];
}

/** @returns {readonly Call[]} the calls since `begin()`, in order */
export function end() {
  const found = calls ?? [];
  calls = undefined;
  return found;
}

/** @param {object} object */
function numberOf(object) {
  const known = numbers.get(object);
  if (known !== undefined) return known;
  objects += 1;
  numbers.set(object, objects);
  return objects;
}

/**
 * The file of the function that called the one which is being entered.
 * @param {string} folder
 */
function callerOf(folder) {
  const prepare = Error.prepareStackTrace;
  Error.prepareStackTrace = (_error, sites) => sites;
  const holder = /** @type {{ stack: NodeJS.CallSite[] }} */ (/** @type {unknown} */ (new Error('where')));
  const { stack } = holder;
  Error.prepareStackTrace = prepare;
  // Here, `enteredFunction` and the entered function itself come first.
  for (const site of stack.slice(3)) {
    const file = site.getFileName();
    if (file === null || file === undefined || file.startsWith('node:')) continue;
    if (asyncFrame(site) || !file.startsWith(folder)) return undefined;
    return file.slice(folder.length + 1);
  }
  return undefined;
}

/**
 * Whether the frame only waits for the function below it.
 * @param {NodeJS.CallSite} site
 */
function asyncFrame(site) {
  return 'isAsync' in site && typeof site.isAsync === 'function' && site.isAsync() === true;
}
