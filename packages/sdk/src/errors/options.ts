import { CoxswainError } from './base.ts';

/** One problem with the options. */
export interface OptionProblem {
  /** The path in the caller's notation: `mcpServers.files.command`. */
  readonly path: string;
  readonly message: string;
}

/** Reports one problem at a path. */
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
 * Runs a check and returns its result. A check returns `undefined` only if it reports a problem.
 * @throws OptionsError with all reported problems
 */
export function checking<R>(check: (report: Report) => R): Exclude<R, undefined> {
  const problems: OptionProblem[] = [];
  const result = check((path, message) => void problems.push({ path, message }));
  if (problems.length > 0) throw new OptionsError(problems);
  // A check without problems returns a result.
  return result as Exclude<R, undefined>;
}

/** The CLI version lacks what an option needs. */
export class UnsupportedOptionError extends CoxswainError<'unsupported-option'> {
  /** The option or a part of it, such as `hooks.PostToolBatch`. */
  declare readonly option: string;
  /** The missing flag; `undefined` if the option needs something other than a flag. */
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
