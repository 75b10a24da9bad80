import type { RawSessionOptions } from 'coxswain/raw';
import type { Options } from '../declarations/options.ts';
import type { Command } from './command.ts';
import type { Flags } from './flags.ts';
import { guardOf } from './guarded-mode.ts';
import { type Preparation, prepared } from './prepared.ts';

/** The parts of a raw session that start the command with these flags. */
export function launchFor(
  command: Command,
  { args, privateFiles }: Flags,
  options: Options,
  spawn: NonNullable<RawSessionOptions['spawn']>,
  prepare: readonly Preparation[] = [],
): Pick<RawSessionOptions, 'argv' | 'privateFiles' | 'spawn' | 'transport'> {
  const start = command.argv ?? [command.path];
  const { guard, mode = [] } = guardOf(options, command);
  const launch = {
    argv: [...start, ...args, ...mode],
    privateFiles: privateFiles.map((file) => ({ ...file, argvIndex: file.argvIndex + start.length })),
  };
  const steps = [...prepare, ...(command.argv ? [] : [searchPinned(options)]), ...(guard ? [guard] : [])];
  return steps.length === 0 ? { ...launch, spawn } : { ...launch, transport: prepared(spawn, steps) };
}

/** Finds the CLI that this library installs, and installs it if it is missing. */
function searchPinned({ executableArgs = [] }: Options): Preparation {
  return async (request) => {
    const { findCli } = await import('coxswain/cli');
    const { command } = await findCli();
    const before = [...command, ...executableArgs];
    const added = before.length - 1;
    return {
      ...request,
      argv: [...before, ...request.argv.slice(1)],
      privateFiles: request.privateFiles.map((file) => ({ ...file, argvIndex: file.argvIndex + added })),
    };
  };
}
