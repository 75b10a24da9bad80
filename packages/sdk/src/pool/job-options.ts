import { resolve } from 'node:path';
import type { AgentOptions } from '../options/groups.ts';
import { jsonSchemaOf } from '../options/output-schema.ts';
import { type Report, reasonOf } from '../options/report.ts';
import { optionChecks } from '../options/table.ts';
import { countedByProcess, type ProcessOptionName, processOptionNames } from './job-option-names.ts';

/** Checks what the process of a job must be started with; `given` are all options of the job. */
export function checkProcessOptions(given: Readonly<Record<string, unknown>>, report: Report): AgentOptions {
  const checked = processOptionNames.flatMap((name) => {
    const value = given[name] === undefined ? undefined : checkOption(name, given[name], report);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(checked);
}

/** The same string for all jobs that one process can serve; '' when any process of the key can. */
export function profileOf(options: AgentOptions, jobId: string): string {
  if (Object.keys(options).length === 0) return '';
  const { outputSchema, ...others } = options;
  // Two schemas that are the same for the CLI can share a process: each job checks its output with its own.
  const schema = outputSchema && jsonSchemaOf(outputSchema);
  const alone = countedByProcess.some((name) => options[name] !== undefined);
  return JSON.stringify([others, schema, alone ? jobId : null]);
}

function checkOption(name: ProcessOptionName, given: unknown, report: Report): unknown {
  const path = `options.${name}`;
  try {
    const value = optionChecks[name](given, path, report);
    return name === 'cwd' && typeof value === 'string' ? resolve(value) : value;
  } catch (error) {
    report(path, `could not be read: ${reasonOf(error)}`);
    return undefined;
  }
}
