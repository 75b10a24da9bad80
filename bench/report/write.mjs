import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chart } from './chart.mjs';
import { pageWith } from './page.mjs';

const RESULTS = fileURLToPath(new URL('../results.json', import.meta.url));
const CHART = fileURLToPath(new URL('../../docs/performance.svg', import.meta.url));
const PAGE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));

/** The figures of this run, merged with those of earlier runs. Void figures do not replace valid ones. */
export function keptSections(measured) {
  const before = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')).sections : [];
  const sections = new Map(before.map((section) => [section.id, section]));
  for (const section of measured) {
    const earlier = sections.get(section.id);
    if (!section.void || earlier === undefined || earlier.void) sections.set(section.id, section);
  }
  return [...sections.values()];
}

/** Writes the figures, the chart and the tables of docs/performance.md. Returns the files. */
export function keep(results) {
  writeFileSync(RESULTS, `${JSON.stringify(results, rounded, 2)}\n`);
  writeFileSync(CHART, chart(results));
  writeFileSync(PAGE, pageWith(existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : undefined, results));
  return [RESULTS, CHART, PAGE].map((file) => relative(process.cwd(), file));
}

function rounded(_key, value) {
  return typeof value === 'number' ? Number(value.toPrecision(5)) : value;
}
