import { type OptionProblem, OptionsError } from '../errors/options.ts';
import { isObject, text, whole } from '../options/checks.ts';
import type { AgentOptions } from '../options/groups.ts';
import { kindOf, type Report } from '../options/report.ts';
import { suggest } from '../options/suggest.ts';
import { optionChecks } from '../options/table.ts';
import { checkTurn, turnOptionNames } from '../options/turn.ts';
import type { TurnOptions } from '../session/turn.ts';
import { processOptionNames } from './job-option-names.ts';
import { checkProcessOptions, profileOf } from './job-options.ts';
import type { JobHandle } from './pool-job.ts';
import { HIGHEST_PRIORITY } from './priority.ts';

/** What a job runs with, checked. */
export interface JobPlan {
  /** Goes to the CLI with the prompt, in whatever process that is. */
  readonly turn: TurnOptions;
  /** Goes to the CLI when it starts. */
  readonly process: AgentOptions;
  /** The same for all jobs that one process can serve; '' when any process of the key can. */
  readonly profile: string;
}

/** Checks a job. @throws OptionsError with everything that is wrong */
export function checkJob({ prompt, options, fields, extras, ...job }: JobHandle): JobPlan {
  const problems: OptionProblem[] = [];
  const report: Report = (path, message) => void problems.push({ path, message });
  for (const field of ['id', 'key', 'resume'] as const) if (job[field] !== undefined) name(job[field], field, report);
  priorities(job.priority, 'priority', report);
  for (const field of fields) if (!isOneOf(JOB_FIELDS, field)) report(shown(field), unknownField(field));
  for (const extra of extras) if (extra !== 'signal') report(shown(extra), unknownExtra(extra));
  const given = options ?? {};
  if (!isObject(given)) report('options', `must be an object, not ${kindOf(given)}.`);
  const { turn, others } = split(isObject(given) ? given : {});
  for (const option of others) report(`options.${shown(option)}`, unknownOption(option));
  for (const { path, message } of checkTurn(prompt, turn).problem?.problems ?? []) {
    report(path.startsWith('prompt') ? path : `options.${path}`, message);
  }
  const process = checkProcessOptions(isObject(given) ? given : {}, report);
  if (problems.length > 0) throw new OptionsError(problems);
  return { turn, process, profile: profileOf(process, job.id) };
}

const name = text();
const priorities = whole(-HIGHEST_PRIORITY, HIGHEST_PRIORITY);
const JOB_FIELDS = ['id', 'key', 'prompt', 'options', 'priority', 'resume'] as const;
const JOB_OPTIONS = [...turnOptionNames, ...processOptionNames] as const;

/** The options of the turn, and the names that are no options of a job. */
function split(given: Readonly<Record<string, unknown>>): { turn: TurnOptions; others: readonly string[] } {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return {
    turn: Object.fromEntries(entries.filter(([option]) => isOneOf(turnOptionNames, option))),
    others: entries.map(([option]) => option).filter((option) => !isOneOf(JOB_OPTIONS, option)),
  };
}

function unknownField(field: string): string {
  if (field === 'signal') return 'is not plain data: give it beside the job, submit(job, { signal }).';
  if (isOneOf(JOB_OPTIONS, field)) return `is not a field of a job: give it as options.${field}.`;
  const meant = suggest(field, JOB_FIELDS);
  if (meant !== undefined) return `is not a field of a job. Did you mean ${meant}?`;
  const option = suggest(field, JOB_OPTIONS);
  if (option !== undefined) return `is not a field of a job. Did you mean options.${option}?`;
  return `is not a field of a job; there are ${JOB_FIELDS.join(', ')}.`;
}

function unknownOption(option: string): string {
  if (option === 'signal') return 'is not plain data: give it beside the job, submit(job, { signal }).';
  if (option === 'resume') return 'is not an option of a job: it is a field beside them, resume.';
  if (Object.hasOwn(optionChecks, option)) {
    return 'is not for a job to choose: give it in session(key), or in the defaults of the pool.';
  }
  const meant = suggest(option, JOB_OPTIONS);
  return `is not an option of a job${meant === undefined ? '.' : `. Did you mean ${meant}?`}`;
}

function unknownExtra(extra: string): string {
  if (extra === 'onMessage') return 'is for run(); a job that was submitted is read itself.';
  const meant = suggest(extra, ['signal', 'onMessage']);
  return `cannot be given beside a job${meant === undefined ? '.' : `. Did you mean ${meant}?`}`;
}

/** Names come from elsewhere, and may be long. */
function shown(given: string): string {
  return given.slice(0, 80);
}

function isOneOf(names: readonly string[], given: string): boolean {
  return names.includes(given);
}
