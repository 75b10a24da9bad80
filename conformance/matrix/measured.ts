import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Verdict } from './probe.ts';

/** Measurements without the SDK's own refusals, by release and feature. */
export type Measured = Record<string, Record<string, Verdict>>;

const FILE = fileURLToPath(new URL('../../.cache/conformance/measured.json', import.meta.url));

/** The measurements of earlier runs on this machine. */
export function readMeasured(): Measured {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'));
  } catch {
    return {};
  }
}

/** Saves the measurements of a release, so that an interrupted search can continue. */
export function noteMeasured(measured: Measured, version: string, verdicts: ReadonlyMap<string, Verdict>): void {
  measured[version] = { ...measured[version], ...Object.fromEntries(verdicts) };
  // Another search may have changed the file.
  const written = readMeasured();
  write({ ...written, [version]: { ...written[version], ...measured[version] } });
}

/** Deletes the measurements of some features. */
export function forgetMeasured(ids: readonly string[]): void {
  const measured = readMeasured();
  for (const verdicts of Object.values(measured)) for (const id of ids) delete verdicts[id];
  write(measured);
}

function write(measured: Measured): void {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, JSON.stringify(measured, undefined, 1));
}
