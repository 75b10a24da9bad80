import { shapeOf } from './command-shape.ts';
import { type Decided, families, measuredShapes, openCommands } from './measured-commands.ts';
import { isFlag, type ShellCommand, unquoted } from './shell-line.ts';

/** The CLI's decision on a command without a rule or a mode; undefined if it was not measured. */
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
  // If all measured forms of a part of a program ask, other forms ask as well.
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

/** True if the CLI runs some form of this command without asking. */
function isKnown(name: string): boolean {
  return KNOWN.has(name);
}

/** The part of a program, such as `git commit`. */
function baseOf({ name, args }: ShellCommand): string {
  const [first = ''] = args;
  return families.includes(name) && !isFlag(first) ? `${name} ${first}` : `${name} `;
}

/** True if an operand may be a path outside of the working directory. */
function leadsOutside(arg: string): boolean {
  return /^[/~]|(^|[/=])\.\.(\/|$)|=[/~]/.test(unquoted(arg));
}
