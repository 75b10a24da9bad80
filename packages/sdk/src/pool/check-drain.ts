import { type OptionProblem, OptionsError } from '../errors/options.ts';
import { LONGEST_TIMER_MS } from '../limits.ts';
import { shape, whole } from '../options/checks.ts';
import type { DrainOptions } from './pool.ts';

const SHAPE = shape({ timeoutMs: whole(0, LONGEST_TIMER_MS) });

/** Checks what `drain()` was given. @throws OptionsError */
export function checkDrain(options: DrainOptions): DrainOptions {
  const problems: OptionProblem[] = [];
  SHAPE(options, 'drain', (path, message) => problems.push({ path, message }));
  if (problems.length > 0) throw new OptionsError(problems);
  return options;
}
