import { CoxswainError } from './base.ts';

/** One thing that is wrong with the options, and where. */
export interface OptionProblem {
  /** Where, as the caller would write it: `mcpServers.files.command`. */
  readonly path: string;
  readonly message: string;
}

/** The options cannot be used; `problems` lists everything that is wrong with them, not just the first. */
export class OptionsError extends CoxswainError {
  declare readonly code: 'options';
  readonly problems: readonly OptionProblem[];

  constructor(problems: readonly OptionProblem[]) {
    const list = problems.map((problem) => `${problem.path}: ${problem.message}`);
    super('OptionsError', list.length === 1 ? `Bad option: ${list[0]}` : `Bad options:\n- ${list.join('\n- ')}`);
    this.problems = problems;
  }
}

/** The CLI that was found is known to lack what an option needs. */
export class UnsupportedOptionError extends CoxswainError {
  declare readonly code: 'unsupported-option';
  /** The option, or the part of it: `hooks.PostToolBatch`. */
  readonly option: string;
  /** The flag that is missing; none for what is not a flag. */
  readonly flag: string | undefined;
  readonly found: string;
  readonly required: string;

  constructor(fields: { option: string; flag?: string | undefined; found: string; required: string }) {
    const needs = fields.flag === undefined ? 'something that' : `${fields.flag}, which`;
    super(
      'UnsupportedOptionError',
      `The option ${fields.option} needs ${needs} Claude Code has since ${fields.required}; found ${fields.found}. ` +
        "Update the CLI, pass cli: 'pinned', or leave the option out.",
    );
    this.option = fields.option;
    this.flag = fields.flag;
    this.found = fields.found;
    this.required = fields.required;
  }
}
