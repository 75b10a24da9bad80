import { features } from './all-probes.ts';
import type { ReleaseRecord } from './compatibility.ts';

/** Prints the verdicts: a line for each feature, a column for each release. */
export function printTable(records: readonly ReleaseRecord[]): void {
  const width = Math.max(...features.map(({ id }) => id.length)) + 2;
  const column = (text: string): string => text.padStart(11);
  console.log(`${''.padEnd(width)}${records.map(({ version }) => column(version)).join('')}`);
  for (const { id } of features) {
    const cells = records.map(({ verdicts }) => column(shortOf(verdicts[id])));
    console.log(`${id.padEnd(width)}${cells.join('')}`);
  }
  const suites = records.map(({ suite }) => column(suite ? `${suite.passed}/${suite.passed + suite.failed}` : ''));
  if (records.some(({ suite }) => suite)) console.log(`${'vitest suite'.padEnd(width)}${suites.join('')}`);
}

function shortOf(word = ''): string {
  return word.startsWith('needs') ? 'refused' : word.replace(/:.*/s, '');
}
