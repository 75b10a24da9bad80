import type { FleetAgentOptions } from '../agent/define-agent.ts';

/** Options whose functions may differ from turn to turn: a session calls those of the current turn. */
const CALLBACKS = ['canUseTool', 'onElicitation', 'onControlRequest', 'onEvent', 'onWarning', 'onStderr'] as const;

/** The name of an option that is a callback. */
export type CallbackName = (typeof CALLBACKS)[number];

/** The callbacks that these options have. */
export function callbacksOf(options: FleetAgentOptions): readonly CallbackName[] {
  return CALLBACKS.filter((name) => typeof options[name] === 'function');
}

/**
 * Whether a process that was started with `a` may run a turn with `b`: the same plain data, the same hooks apart from their functions, and
 * identical objects everywhere else, such as tool servers, transports and schemas.
 */
export function sameOptions(a: FleetAgentOptions, b: FleetAgentOptions): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const name of names) {
    const [one, other] = [Reflect.get(a, name), Reflect.get(b, name)];
    const isCalled = name === 'hooks' || CALLBACKS.some((callback) => callback === name);
    if (!same(one, other, isCalled, 0)) return false;
  }
  return true;
}

/** Deeper structures count as different. */
const MAX_DEPTH = 50;

function same(a: unknown, b: unknown, isCalled: boolean, depth: number): boolean {
  if (Object.is(a, b)) return true;
  if (isCalled && typeof a === 'function' && typeof b === 'function') return true;
  if (depth > MAX_DEPTH || !isPlain(a) || !isPlain(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key], isCalled, depth + 1));
}

/** Arrays, and objects without a class. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}
