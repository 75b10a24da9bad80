import { at, kindOf, type Report } from './report.ts';

const DEEPEST = 200;

/**
 * Copies a value as JSON would write it: what was checked is then what is used, whatever getters and proxies do later.
 * Anything JSON would drop or change in silence is reported; `undefined` fields of objects are left out.
 * @throws whatever reading the value throws, and RangeError when there is no end to it
 */
export function plainData(value: unknown, path: string, report: Report): unknown {
  return copy(value, path, report, 0);
}

function copy(value: unknown, path: string, report: Report, depth: number): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'object') {
    report(path, `must be plain data that JSON can hold, not ${kindOf(value)}.`);
    return undefined;
  }
  // Thrown, not reported: going on beside it would take for ever in a value that branches at every level.
  if (depth > DEEPEST) throw new RangeError('it is nested too deeply, or contains itself.');
  if ('toJSON' in value && typeof value.toJSON === 'function') return copy(value.toJSON(), path, report, depth + 1);
  if (Array.isArray(value)) return value.map((item, index) => copy(item, at(path, index), report, depth + 1));
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([key, field]) => [key, copy(field, at(path, key), report, depth + 1)]));
}
