import { shapeOf } from './command-shape.ts';
import { type Decided, families, measuredShapes, openCommands } from './measured-commands.ts';
import { isFlag, type ShellCommand, unquoted } from './shell-line.ts';

/** What the CLI does with a command that no rule and no mode decides: undefined where it was not measured. */
export function decisionOn(command: ShellCommand): Decided | undefined {
  const { name, args } = command;
  if (name.includes('/')) return isKnown(name.slice(name.lastIndexOf('/') + 1)) ? undefined : 'asks';
  if (!isKnown(name)) return 'asks';
  if (args.some(leadsOutside)) return undefined;
  if (OPEN.has(name)) return 'runs';
  const exact = SHAPES.get(shapeOf(command, families));
  if (exact !== undefined) return exact === 'varies' ? undefined : exact;
  const base = baseOf(command);
  const measured = [...SHAPES].filter(([shape]) => shape === base || shape.startsWith(`${base} `));
  // A part of a program that asked in all its forms asks in the others, too.
  return measured.length > 1 && measured.every(([, decided]) => decided === 'asks') ? 'asks' : undefined;
}

const OPEN: ReadonlySet<string> = new Set(openCommands);
const SHAPES: ReadonlyMap<string, Decided | 'varies'> = new Map(
  (['runs', 'asks', 'varies'] as const).flatMap((found) =>
    measuredShapes[found].map((shape): [string, Decided | 'varies'] => [shape, found]),
  ),
);
const KNOWN: ReadonlySet<string> = new Set([
  ...OPEN,
  ...[...SHAPES.keys()].map((shape) => shape.split(' ', 1)[0] ?? shape),
]);

/** Whether the CLI runs some form of this command without asking. */
function isKnown(name: string): boolean {
  return KNOWN.has(name);
}

/** The part of a program, such as `git commit`. */
function baseOf({ name, args }: ShellCommand): string {
  const [first = ''] = args;
  return families.includes(name) && !isFlag(first) ? `${name} ${first}` : `${name} `;
}

/** Whether an operand may be a path outside of the working directory. */
function leadsOutside(arg: string): boolean {
  return /^[/~]|(^|[/=])\.\.(\/|$)|=[/~]/.test(unquoted(arg));
}
