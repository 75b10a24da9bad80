// Records the calls that instrumented sources report, and how one led to another, including across promises and timers.
import { createHook } from 'node:async_hooks';

/**
 * One call: the function, the object it belongs to (a number per instance, `undefined` outside a class) and the file that called
 * it (`undefined` when a promise, a timer or code outside the traced folder did).
 * @typedef {{ readonly place: string, readonly object: number | undefined, readonly from: string | undefined }} Call
 */

/**
 * calls: everything that ran. path: only the functions that led from the cause to the effect, in order.
 * @typedef {{ readonly calls: readonly Call[], readonly path: readonly string[] }} Recording
 */

/**
 * The functions that run at a moment, outermost first, and the moment that caused this one.
 * @typedef {{ readonly frames: readonly string[], readonly cause: Moment | undefined }} Moment
 */

/** The function that queues a message for its reader. */
const QUEUED = 'stream/feed.ts Feed.message';

/** Async resources that run a callback later. */
const SCHEDULED = new Set(['Immediate', 'Timeout', 'TickObject', 'Microtask']);

/** @type {Call[] | undefined} */
let calls;
/** The moments in which promises were resolved and callbacks were scheduled, by async id. @type {Map<number, Moment>} */
let moments = new Map();
/** What created each async resource, and those whose callbacks run now. @type {Map<number, number>} */
const triggers = new Map();
/** @type {number[]} */
const running = [];
/** The last moment in which a message was queued for its reader. @type {Moment | undefined} */
let queued;
/** The outermost function that ran in an async context, by async id. @type {Map<number, string>} */
let outermost = new Map();
/** The names of functions, by where their code begins. @type {Map<string, string>} */
const places = new Map();
/** @type {WeakMap<object, number>} */
const numbers = new WeakMap();
let objects = 0;
/** @type {readonly string[]} */
let folders = [];

/** @param {readonly string[]} traced the folders whose functions report themselves, as URLs with a slash at their end */
export function listen(traced) {
  folders = traced;
  Error.stackTraceLimit = 60;
  Object.assign(globalThis, { enteredFunction });
  createHook({
    init: (id, type, trigger) => {
      triggers.set(id, trigger);
      if (calls && SCHEDULED.has(type)) moments.set(id, now());
    },
    before: (id) => void running.push(id),
    after: () => void running.pop(),
    promiseResolve: (id) => {
      if (calls) moments.set(id, now());
    },
  }).enable();
}

export function begin() {
  queued = undefined;
  moments = new Map();
  outermost = new Map();
  calls = [];
}

/**
 * Called in the moment of the effect.
 * @returns {Recording}
 */
export function end() {
  const found = calls ?? [];
  const path = pathTo(now());
  calls = undefined;
  return { calls: found, path };
}

/**
 * The same for the moment in which a message reaches its reader. A reader that pulls gets it as a value that functions return, so
 * the path goes to the queue first.
 * @returns {Recording}
 */
export function endWithMessage() {
  if (!queued) throw new Error(`No call of ${QUEUED}: name the function that queues a message for its reader.`);
  const there = pathTo(queued);
  const { calls: found, path } = end();
  const parting = path.findIndex((place, index) => place !== there[index]);
  return { calls: found, path: [...there, ...(parting === -1 ? [] : path.slice(parting))] };
}

/**
 * @param {string} place
 * @param {object} [object]
 */
function enteredFunction(place, object) {
  const [own, caller] = tracedSites();
  if (own) places.set(keyOf(own), place);
  if (!calls) return;
  if (!caller) outermost.set(running[0] ?? 0, place);
  if (place === QUEUED) queued = now();
  calls.push({ place, object: object && numberOf(object), from: caller && fileOf(caller) });
}

/** @returns {Moment} */
function now() {
  const frames = tracedSites().map((site) => places.get(keyOf(site)) ?? '');
  // Code that runs in the async context of another moment is still caused by its synchronous caller.
  const id = running[0] ?? 0;
  // A promise made by `then()` is resolved after its function has returned.
  const finished = frames.length === 0 ? outermost.get(id) : undefined;
  return {
    frames: finished === undefined ? frames.filter(Boolean).reverse() : [finished],
    cause: moments.get(id) ?? moments.get(triggers.get(id) ?? 0),
  };
}

/** @param {Moment} moment */
function pathTo(moment) {
  /** @type {string[]} */
  const path = [];
  const seen = new Set();
  for (let at = /** @type {Moment | undefined} */ (moment); at && !seen.has(at); at = at.cause) {
    seen.add(at);
    path.unshift(...at.frames);
  }
  // A function that waited and then continued is one step.
  return path.filter((place, index) => place !== path[index - 1]);
}

/**
 * The functions of the traced folder that run now, innermost first, without those that only wait.
 * @returns {NodeJS.CallSite[]}
 */
function tracedSites() {
  const prepare = Error.prepareStackTrace;
  Error.prepareStackTrace = (_error, sites) => sites;
  const { stack } = /** @type {{ stack: NodeJS.CallSite[] }} */ (/** @type {unknown} */ (new Error('here')));
  Error.prepareStackTrace = prepare;
  const waiting = stack.findIndex((site) => 'isAsync' in site && typeof site.isAsync === 'function' && site.isAsync());
  return stack.slice(0, waiting === -1 ? undefined : waiting).filter((site) => folderOf(site) !== undefined);
}

/** @param {NodeJS.CallSite} site */
function folderOf(site) {
  const file = site.getFileName();
  return folders.find((folder) => file?.startsWith(folder));
}

/** @param {NodeJS.CallSite} site */
function fileOf(site) {
  return String(site.getFileName()).slice(folderOf(site)?.length);
}

/** @param {NodeJS.CallSite} site */
function keyOf(site) {
  const { getEnclosingLineNumber: line, getEnclosingColumnNumber: column } = /** @type {EnclosingSite} */ (site);
  return `${fileOf(site)} ${line.call(site)} ${column.call(site)}`;
}

/** @typedef {NodeJS.CallSite & { getEnclosingLineNumber(): number, getEnclosingColumnNumber(): number }} EnclosingSite */

/** @param {object} object */
function numberOf(object) {
  const known = numbers.get(object);
  if (known !== undefined) return known;
  objects += 1;
  numbers.set(object, objects);
  return objects;
}
