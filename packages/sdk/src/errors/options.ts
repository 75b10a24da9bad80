import { CoxswainError } from './base.ts';

/** One problem with the options, and where it is. */
export interface OptionProblem {
  /** The path as the caller would write it: `mcpServers.files.command`. */
  readonly path: string;
  readonly message: string;
}

/** Receives one problem, and where it is. */
export type Report = (path: string, message: string) => void;

/** The options are invalid; `problems` lists all problems, not just the first one. */
export class OptionsError extends CoxswainError<'options'> {
  declare readonly problems: readonly OptionProblem[];

  constructor(problems: readonly OptionProblem[]) {
    const list = problems.map((problem) => `${problem.path}: ${problem.message}`);
    const message = list.length === 1 ? `Bad option: ${list[0]}` : `Bad options:\n- ${list.join('\n- ')}`;
    super('OptionsError', message, { problems });
  }
}

/**
 * Returns the result of a check, which is `undefined` only if the check reports a problem.
 * @throws OptionsError with all problems that the check reports
 */
export function checking<R>(check: (report: Report) => R): Exclude<R, undefined> {
  const problems: OptionProblem[] = [];
  const result = check((path, message) => void problems.push({ path, message }));
  if (problems.length > 0) throw new OptionsError(problems);
  // Without a problem there is a result.
  return result as Exclude<R, undefined>;
}

/** The CLI is known to lack what an option needs. */
export class UnsupportedOptionError extends CoxswainError<'unsupported-option'> {
  /** The option, or a part of it: `hooks.PostToolBatch`. */
  declare readonly option: string;
  /** The missing flag; `undefined` for what is not a flag. */
  declare readonly flag: string | undefined;
  declare readonly found: string;
  declare readonly required: string;

  constructor(fields: { option: string; flag: string | undefined; found: string; required: string }) {
    const { option, flag, found, required } = fields;
    const message =
      `The option ${option} needs Claude Code ${required} or newer${flag === undefined ? '' : `, which has ${flag}`}; found ${found}. ` +
      "Update the CLI, pass cli: 'pinned', or leave the option out.";
    super('UnsupportedOptionError', message, fields);
  }
}
