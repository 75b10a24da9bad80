import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Decided } from './case.ts';

/** The real CLI's decisions by case and call, for the pinned release, and where another release differs. */
export interface Measured {
  readonly releases: readonly string[];
  readonly cases: Readonly<Record<string, MeasuredCase>>;
}

export interface MeasuredCase {
  readonly decided: Readonly<Record<string, Decided>>;
  /** By release: the calls it decides differently. */
  readonly differs?: Readonly<Record<string, Readonly<Record<string, Decided>>>>;
}

/** The path of the measurements. */
const measuredFile: string = fileURLToPath(new URL('./measured.json', import.meta.url));

export function readMeasured(): Measured {
  return JSON.parse(readFileSync(measuredFile, 'utf8'));
}

export function writeMeasured(measured: Measured): void {
  writeFileSync(measuredFile, `${JSON.stringify(measured, null, 2)}\n`);
}
