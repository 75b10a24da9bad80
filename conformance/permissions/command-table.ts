import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { shapeOf } from '../../packages/testkit/src/scripted/interpreter/permission-rules/command-shape.ts';
import { readShellLine } from '../../packages/testkit/src/scripted/interpreter/permission-rules/shell-line.ts';
import type { Decided } from './case.ts';
import { families, openCommands, openForms } from './corpus/commands.ts';
import type { Measured } from './measured.ts';

/** The path of the table that the test kit uses. */
export const tableFile: string = fileURLToPath(
  new URL('../../packages/testkit/src/scripted/interpreter/permission-rules/measured-commands.ts', import.meta.url),
);

export function writeTable(measured: Measured): void {
  writeFileSync(tableFile, renderTable(measured));
}

/** The decisions on single commands as a module of the test kit: those that all releases share. */
export function renderTable({ cases: { commands } }: Measured): string {
  const decided = new Map(Object.entries(commands?.decided ?? {}));
  for (const differing of Object.values(commands?.differs ?? {})) {
    for (const line of Object.keys(differing)) decided.delete(line);
  }
  const open = openCommands.filter((name) => openForms.every((form) => decided.get(`${name}${form}`) === 'runs'));
  const shapes = shapesOf([...decided].filter(([line]) => !open.includes(line.split(' ', 1)[0] ?? '')));
  const named = (wanted: Shaped): string[] =>
    [...shapes].filter(([, found]) => found === wanted).map(([shape]) => shape);
  return `// Made by \`npm run permissions\` from conformance/permissions/measured.json; do not edit.

/** What the CLI does with a command that no rule and no mode decides. */
export type Decided = 'runs' | 'asks';

/** Commands that run with any flags. */
export const openCommands: readonly string[] = items(\`
${wrapped(open)}
\`);

/** Programs whose first argument counts. */
export const families: readonly string[] = items('${families.join(' | ')}');

/** The shapes of the other commands (see command-shape.ts); those that vary depend on more than their shape. */
export const measuredShapes: Readonly<Record<Decided | 'varies', readonly string[]>> = {
  runs: items(\`
${wrapped(named('runs'))}
\`),
  asks: items(\`
${wrapped(named('asks'))}
\`),
  varies: items(\`
${wrapped(named('varies'))}
\`),
};

function items(text: string): readonly string[] {
  return text.trim().split(/\\s*[|\\n]\\s*/);
}
`;
}

type Shaped = Decided | 'varies';

/** The shapes of the commands of which some form runs. */
function shapesOf(decided: readonly (readonly [string, Decided])[]): ReadonlyMap<string, Shaped> {
  const shapes = new Map<string, Shaped>();
  for (const [line, found] of decided) {
    const read = readShellLine(line);
    const [command] = 'commands' in read ? read.commands : [];
    if (command === undefined) continue;
    const shape = shapeOf(command, families);
    shapes.set(shape, (shapes.get(shape) ?? found) === found ? found : 'varies');
  }
  const running = new Set([...shapes].filter(([, found]) => found !== 'asks').map(([shape]) => nameOf(shape)));
  return new Map([...shapes].filter(([shape]) => running.has(nameOf(shape))));
}

function nameOf(shape: string): string {
  return shape.split(' ', 1)[0] ?? shape;
}

/** Items on lines of about 110 characters. */
function wrapped(items: readonly string[]): string {
  const lines = [''];
  for (const item of items) {
    const line = lines.at(-1) ?? '';
    if (line.length + item.length > 110) lines.push(item);
    else lines[lines.length - 1] = line === '' ? item : `${line} | ${item}`;
  }
  return lines.join('\n');
}
