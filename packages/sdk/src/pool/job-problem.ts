import { type OptionProblem, OptionsError } from '../errors/options.ts';
import { isObject, text, whole } from '../options/checks.ts';
import { checkTurn } from '../options/turn.ts';
import type { JobHandle } from './pool-job.ts';
import { HIGHEST_PRIORITY } from './priority.ts';

const name = text();
const priorities = whole(-HIGHEST_PRIORITY, HIGHEST_PRIORITY);

/** What is wrong with a job itself. */
export function problemOf({ prompt, options, ...job }: JobHandle): OptionsError | undefined {
  const problems: OptionProblem[] = [];
  const report = (path: string, message: string): void => void problems.push({ path, message });
  for (const field of ['id', 'key', 'resume'] as const) if (job[field] !== undefined) name(job[field], field, report);
  priorities(job.priority, 'priority', report);
  problems.push(...(checkTurn(prompt, options).problem?.problems ?? []));
  if (isObject(options) && 'signal' in options) report('options.signal', 'is not plain data: give it beside the job.');
  return problems.length > 0 ? new OptionsError(problems) : undefined;
}
