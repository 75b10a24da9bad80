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

/** The CLI that was found is known to lack a flag that an option needs. */
export class UnsupportedOptionError extends CoxswainError {
  declare readonly code: 'unsupported-option';
  readonly option: string;
  readonly flag: string;
  readonly found: string;
  readonly required: string;

  constructor(fields: { option: string; flag: string; found: string; required: string }) {
    super(
      'UnsupportedOptionError',
      `The option ${fields.option} needs ${fields.flag}, which Claude Code has since ${fields.required}; found ${fields.found}. ` +
        'Update the CLI, or leave the option out.',
    );
    this.option = fields.option;
    this.flag = fields.flag;
    this.found = fields.found;
    this.required = fields.required;
  }
}
