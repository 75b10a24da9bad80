import { isFlag, type ShellCommand } from './shell-line.ts';

/**
 * The form of a command: operands become `_`, two or more in a row `_ _`; flags are kept, a numeric flag as `-1`, and so is the
 * first word after a program with subcommands.
 */
export function shapeOf({ name, args }: ShellCommand, families: readonly string[]): string {
  const isFamily = families.includes(name);
  const words = args.map((arg, index) => {
    if (isFlag(arg)) return arg.replace(/^-\d+$/, '-1');
    return index === 0 && isFamily ? arg : '_';
  });
  return [name, ...words].join(' ').replace(/ _ _(?: _)+(?= |$)/g, ' _ _');
}
