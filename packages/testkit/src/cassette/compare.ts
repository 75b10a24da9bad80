import { objectOf } from '../json.ts';
import type { Difference } from './cassette-error.ts';
import { type IdMap, UUIDS } from './id-map.ts';
import { MASK } from './sanitiser.ts';

/**
 * What differs between a recorded and a live value. Generated ids may differ if they do so consistently, times may
 * differ, and a redacted value matches everything. Learns the ids while comparing.
 */
export function compare(recorded: unknown, live: unknown, ids: IdMap): readonly Difference[] {
  const differences: Difference[] = [];
  walk(recorded, live, '', { ids, differences });
  return differences;
}

/** Compares two texts in the same way. */
export function sameText(recorded: string, live: string, ids: IdMap): boolean {
  const left = split(recorded);
  const right = split(live);
  return (
    left.length === right.length &&
    left.every((part, index) => {
      const other = right[index] ?? '';
      // Every second part is a generated one.
      // The machine that plays a recording may have other secrets than the one that recorded it.
      if (index % 2 === 0) return part === other || fitsMasked(part, other) || fitsMasked(other, part);
      return isTime(part) ? isTime(other) : !isTime(other) && ids.bind(part, other);
    })
  );
}

interface Walk {
  readonly ids: IdMap;
  readonly differences: Difference[];
}

function walk(recorded: unknown, live: unknown, path: string, to: Walk): void {
  if (Array.isArray(recorded) && Array.isArray(live)) {
    const length = Math.max(recorded.length, live.length);
    for (let i = 0; i < length; i++) step(recorded, live, i, `${path}[${i}]`, to);
    return;
  }
  const [left, right] = [objectOf(recorded), objectOf(live)];
  if (left && right) {
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      step(left, right, key, path === '' ? key : `${path}.${key}`, to);
    }
    return;
  }
  if (!sameValue(recorded, live, path, to.ids)) to.differences.push({ path, recorded, live });
}

function step(recorded: object, live: object, key: string | number, path: string, to: Walk): void {
  const [left, right] = [Object.getOwnPropertyDescriptor(recorded, key), Object.getOwnPropertyDescriptor(live, key)];
  if (left && right) walk(left.value, right.value, path, to);
  else if (left) to.differences.push({ path, recorded: left.value });
  else if (right) to.differences.push({ path, live: right.value });
}

function sameValue(recorded: unknown, live: unknown, path: string, ids: IdMap): boolean {
  if (typeof recorded !== 'string' || typeof live !== 'string') return recorded === live;
  if (/(^|\.)request_id$/.test(path)) return ids.bindRequest(recorded, live);
  return sameText(recorded, live, ids);
}

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/;
const GENERATED = new RegExp(`(${UUIDS.source}|${TIME.source})`, 'gi');

function split(text: string): string[] {
  return text.split(GENERATED);
}

function isTime(part: string): boolean {
  return part.charAt(10) === 'T';
}

/** A text with a redacted part matches any text with the same surrounding text. */
function fitsMasked(masked: string, text: string): boolean {
  if (!masked.includes(MASK)) return false;
  const parts = masked.split(MASK);
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
