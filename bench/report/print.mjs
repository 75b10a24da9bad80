import { tableOf } from './names.mjs';

/** Prints the figures of a scenario. */
export function printSection(section) {
  const { title, rounds, control } = section;
  console.log(
    `\n${title}${rounds === undefined ? '' : `: median of ${rounds}${control === undefined ? '' : ' paired'} rounds`}`,
  );
  printTable(tableOf(section));
  if (section.void) console.log(`  void: the control is ${control.toFixed(3)}; the machine is not idle enough`);
}

/** Prints the limits beside the measured figures, if any. */
export function printLimits(all) {
  const limits = all.filter(({ verdict }) => verdict !== 'not measured');
  if (limits.length === 0) return;
  console.log('\nLimits');
  printTable([
    ['', 'limit', 'measured', ''],
    ...limits.map(({ what, limit, measured, verdict }) => [what, limit, measured, verdict]),
  ]);
}

function printTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows) {
    const cells = row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])));
    console.log(`  ${cells.join('  ').trimEnd()}`);
  }
}
