import { CliNotFoundError } from 'coxswain/errors';
import { findInstalledCli } from 'coxswain/raw';
import type { Options } from '../declarations/options.ts';
import { notFoundError } from '../end-error.ts';

/** The program to run. With `COXSWAIN_CLI=pinned` and without a path in the options, it is searched when the process is started. */
export interface Command {
  /** Program and arguments before the flags; `undefined` until the search. */
  readonly argv: readonly string[] | undefined;
  readonly path: string;
  readonly isScript: boolean;
}

const SCRIPT = /\.(js|mjs|cjs|ts|tsx|jsx)$/;

/** The command of the options. A script is run by `executable`, or by the program that runs this one. @throws Error */
export function commandFor({ pathToClaudeCodeExecutable: path, executable, executableArgs = [] }: Options): Command {
  if (path === undefined || path === null || path === '') return foundCommand(executableArgs);
  const isScript = SCRIPT.test(path);
  const argv = isScript ? [executable ?? process.execPath, ...executableArgs, path] : [path, ...executableArgs];
  return { argv, path, isScript };
}

/** The installed CLI. @throws Error */
function foundCommand(executableArgs: readonly string[]): Command {
  if (process.env.COXSWAIN_CLI === 'pinned') return { argv: undefined, path: 'claude', isScript: false };
  try {
    const { command, path } = findInstalledCli();
    return { argv: [...command, ...executableArgs], path, isScript: command.length > 1 };
  } catch (error) {
    throw error instanceof CliNotFoundError ? notFoundError(error) : error;
  }
}
