import { columnsOf, fit } from './measure.ts';
import type { Paint } from './paint.ts';

/** Rows under headings, columns padded; the last column is cut if the line would be too long. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  paint: Paint,
  columns: number,
): string[] {
  const widths = headings.map((heading, at) =>
    Math.max(...[heading, ...rows.map((row) => row[at] ?? '')].map(columnsOf)),
  );
  const line = (cells: readonly string[]): string => {
    let used = 0;
    const padded = cells.map((cell, at) => {
      const isLast = at === cells.length - 1;
      const shown = isLast ? fit(cell, Math.max(8, columns - used)) : cell;
      const width = widths[at] ?? 0;
      used += width + GAP;
      return isLast ? shown : shown + ' '.repeat(Math.max(0, width - columnsOf(shown)) + GAP);
    });
    return padded.join('').trimEnd();
  };
  return [paint.dim(line(headings)), ...rows.map(line)];
}

const GAP = 2;
