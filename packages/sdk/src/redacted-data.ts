import { MASK } from '@coxswain/shared/secret-shapes';
import type { Redactor } from './redact.ts';

/** A copy of plain data without secrets in its strings and numbers. The names of fields stay, and so do names in the fields listed below. */
export function redactedData<D>(data: D, redact: Redactor): D {
  // It has the same shape.
  return copied('', data, redact, new Set()) as D;
}

/** A copy of plain data for someone outside: what they change in it has no effect elsewhere. */
export function copyOf<D>(data: D): D {
  return redactedData(data, (text) => text);
}

/** The same for data that was parsed from JSON, such as a request of the CLI, in less time. */
export function copyOfJson<D>(data: D): D {
  try {
    return JSON.parse(JSON.stringify(data));
  } catch {
    // JSON can be parsed at a depth at which it cannot be written.
    return copyOf(data);
  }
}

/** Fields with names that programs switch on. */
const NAMING: ReadonlySet<string> = new Set([
  ...['type', 'subtype', 'kind', 'code', 'name', 'event', 'hook', 'option', 'state', 'status', 'outcome'],
  ...['ended', 'signal', 'role', 'failure', 'policy', 'tool', 'toolName', 'hook_event_name', 'tool_name'],
]);

/** How many levels are copied. JSON can be nested more deeply than functions can call each other. */
const DEEPEST = 1_000;

/** A redacted copy. What is not plain data stays as it is, unless something in it has to be redacted. */
function copied(key: string, value: unknown, redact: Redactor, around: Set<object>): unknown {
  if (typeof value === 'string') {
    // A secret that happens to be a word does not change names.
    return NAMING.has(key) && /^[A-Za-z][A-Za-z_-]*$/.test(value) ? value : redact(value);
  }
  // Only a number that is a secret as a whole: others have digits in common with it.
  if (typeof value === 'number') return redact(String(value)) === MASK ? MASK : value;
  if (typeof value !== 'object' || value === null) return value;
  if (around.has(value)) return '[circular]';
  if (around.size > DEEPEST) return '[nested too deeply]';
  around.add(value);
  const before = Object.entries(value);
  const after = before.map(([name, field]) => copied(Array.isArray(value) ? key : name, field, redact, around));
  around.delete(value);
  if (Array.isArray(value)) return after;
  const isData = Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null;
  if (!isData && after.every((field, index) => field === before[index]?.[1])) return value;
  return Object.fromEntries(before.map(([name], index) => [name, after[index]]));
}
