import { resolve } from 'node:path';
import { suggest } from '@coxswain/shared/unknown-name';
import type { TurnOptions } from '../conversation/turn.ts';
import { type OptionProblem, OptionsError, type Report } from '../errors/options.ts';
import { kindOf, plainFields, readable, text, whole } from '../options/checks.ts';
import type { AgentOptions } from '../options/option-types.ts';
import { type ProcessOptionName, processOptionNames, profileOf } from '../options/process-options.ts';
import { optionChecks } from '../options/table.ts';
import { checkTurn, turnOptionNames } from '../options/turn.ts';
import { isJsonObject as isObject } from '../wire/kinds.ts';
import type { JobRunOptions, JobSpec } from './pool.ts';
import { HIGHEST_PRIORITY } from './scheduler.ts';

/** The checked options of a job. */
export interface JobPlan {
  /** Sent with the prompt, to any process. */
  readonly turn: TurnOptions;
  /** The process must be started with these. */
  readonly process: AgentOptions;
  /** The same for all jobs that one process can run; '' if any process of the key can. */
  readonly profile: string;
}

/** The caller's input for a job. */
export interface GivenJob {
  readonly spec: JobSpec;
  readonly extras: JobRunOptions;
  readonly problem?: OptionsError;
}

/** Copies a job, because reading it may run code of the caller. Never throws. */
export function readJob(spec: JobSpec, extras: JobRunOptions): GivenJob {
  const problems: OptionProblem[] = [];
  const report: Report = (path, message) => void problems.push({ path, message });
  const given = readable('the job', report, () => {
    const job = ownFields(spec, 'the job', report);
    const options = isObject(job.options) ? { options: ownFields(job.options, 'options', report) } : {};
    return { spec: { ...job, ...options }, extras: ownFields(extras, 'the second argument', report) };
  });
  return given && problems.length === 0
    ? given
    : { spec: { prompt: '' }, extras: {}, problem: new OptionsError(problems) };
}

/** A copy; the value itself unless it is an object, which the check of the job refuses. */
function ownFields<V>(value: V, path: string, report: Report): V {
  if (!isObject(value)) return value;
  // A copy of its fields has its type.
  return Object.fromEntries(plainFields(value, path, report) ?? []) as V;
}

/** Checks a job, made from `spec`; `extras` is the second argument. @throws OptionsError with all problems */
export function checkJob(job: JobSpec & { readonly id: string }, spec: object, extras: object): JobPlan {
  const problems: OptionProblem[] = [];
  const report: Report = (path, message) => void problems.push({ path, message });
  for (const field of ['id', 'key', 'resume'] as const) if (job[field] !== undefined) name(job[field], field, report);
  priorities(job.priority, 'priority', report);
  for (const field of givenNames(spec)) if (!JOB_FIELDS.includes(field)) report(shortened(field), unknownField(field));
  for (const extra of givenNames(extras)) if (extra !== 'signal') report(shortened(extra), unknownExtra(extra));
  if (isObject(extras) && extras.signal !== undefined) optionChecks.signal(extras.signal, 'signal', report);
  else if (!isObject(extras)) report('the second argument', `must be an object, not ${kindOf(extras)}.`);
  const all: unknown = job.options ?? {};
  if (!isObject(all)) report('options', `must be an object, not ${kindOf(all)}.`);
  const given = Object.entries(isObject(all) ? all : {}).filter(([, value]) => value !== undefined);
  for (const [option] of given) {
    if (!JOB_OPTIONS.includes(option)) report(`options.${shortened(option)}`, unknownOption(option));
  }
  const turn: TurnOptions = Object.fromEntries(given.filter(([option]) => TURN_OPTIONS.includes(option)));
  for (const { path, message } of checkTurn(job.prompt, turn).problem?.problems ?? []) {
    report(path.startsWith('prompt') ? path : `options.${path}`, message);
  }
  const values: Readonly<Record<string, unknown>> = Object.fromEntries(given);
  const checked = processOptionNames.map((option) => [option, checkOption(option, values[option], report)] as const);
  const process: AgentOptions = Object.fromEntries(checked.filter(([, value]) => value !== undefined));
  if (problems.length > 0) throw new OptionsError(problems);
  return { turn, process, profile: profileOf(process, job.id) };
}

const name = text();
const priorities = whole(-HIGHEST_PRIORITY, HIGHEST_PRIORITY);
const JOB_FIELDS: readonly string[] = ['id', 'key', 'prompt', 'options', 'priority', 'resume'];
const TURN_OPTIONS: readonly string[] = turnOptionNames;
const JOB_OPTIONS: readonly string[] = [...turnOptionNames, ...processOptionNames];

function givenNames(given: unknown): readonly string[] {
  const entries = isObject(given) ? Object.entries(given) : [];
  return entries.filter(([, value]) => value !== undefined).map(([name]) => name);
}

function checkOption(option: ProcessOptionName, given: unknown, report: Report): unknown {
  if (given === undefined) return undefined;
  const path = `options.${option}`;
  return readable(path, report, () => {
    const value = optionChecks[option](given, path, report);
    return option === 'cwd' && typeof value === 'string' ? resolve(value) : value;
  });
}

function unknownField(field: string): string {
  if (field === 'signal') return SIGNAL_ELSEWHERE;
  if (JOB_OPTIONS.includes(field)) return `is not a field of a job: pass it as options.${field}.`;
  const option = suggest(field, JOB_OPTIONS);
  const meant = suggest(field, JOB_FIELDS) ?? (option && `options.${option}`);
  return `is not a field of a job${meant ? `. Did you mean ${meant}?` : `; the fields are ${JOB_FIELDS.join(', ')}.`}`;
}

function unknownOption(option: string): string {
  if (option === 'signal') return SIGNAL_ELSEWHERE;
  if (option === 'resume') return 'is not an option of a job: pass it as the field resume of the job.';
  if (Object.hasOwn(optionChecks, option)) {
    return 'cannot be set by a job: return it from session(key), or set it in the defaults of the pool.';
  }
  const meant = suggest(option, JOB_OPTIONS);
  return `is not an option of a job${meant === undefined ? '.' : `. Did you mean ${meant}?`}`;
}

function unknownExtra(extra: string): string {
  if (extra === 'onMessage') return 'is only for run(): iterate over a submitted job instead.';
  const meant = suggest(extra, ['signal', 'onMessage']);
  return `cannot be passed with a job${meant === undefined ? '.' : `. Did you mean ${meant}?`}`;
}

const SIGNAL_ELSEWHERE = 'is not plain data: pass it next to the job, submit(job, { signal }).';

/** The caller chooses the keys, which can be long. */
function shortened(given: string): string {
  return given.slice(0, 80);
}
