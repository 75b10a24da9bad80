import type { Diff, Hunk } from '../api.ts';
import { parseUnified } from './parse-unified.ts';

/** The hunks of a diff in full, also if those in it were cut. */
export function wholeHunks(
  { hunks, more }: Pick<Diff, 'hunks' | 'more'>,
  texts: { part(number: number): { toString(): string } | undefined },
): readonly Hunk[] {
  const number = /\/parts\/(\d+)$/.exec(more ?? '')?.[1];
  const whole = number === undefined ? undefined : texts.part(Number(number));
  return whole === undefined ? hunks : parseUnified(whole.toString());
}
