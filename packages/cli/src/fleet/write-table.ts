import { firstLine, harmless } from '../render/measure.ts';
import { table } from '../render/table.ts';
import { columnsOf, paintFor, type Terminal } from '../terminal/terminal.ts';

/** Prints a table. Keys and names are from other people and must not control the terminal. */
export function writeTable(
  terminal: Terminal,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const cells = rows.map((row) => row.map((cell) => firstLine(harmless(cell))));
  const lines = table(headings, cells, paintFor(terminal.stdout, terminal.env), columnsOf(terminal.stdout));
  terminal.stdout.write(`${lines.join('\n')}\n`);
}
