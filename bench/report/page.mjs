import { tableOf } from './names.mjs';

const NEW_PAGE = '# Performance\n\n<!-- bench -->\n<!-- /bench -->\n';

/** The page with the figures between its markers. */
export function pageWith(page = NEW_PAGE, results) {
  return between(page, 'bench', figures(results));
}

/** The page with `text` between the markers of that name; the rest is unchanged. */
export function between(page, name, text) {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [page.indexOf(open), page.indexOf(close)];
  if (from === -1 || to < from) throw new Error(`The page has no ${open} … ${close}`);
  return `${page.slice(0, from + open.length)}\n${text}\n${page.slice(to)}`;
}

function figures({ date, rounds, machine, versions, load, limits, sections }) {
  const where = `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}`;
  const what = `Coxswain ${versions.coxswain} (${versions.commit}), official SDK ${versions.officialSdk}, Node ${versions.node}`;
  return [
    '![Wall time against bare Node: Coxswain and the official SDK](performance.svg)',
    `Measured on ${date.slice(0, 10)}: ${what}; ${where}, load average ${load.toFixed(2)} before the run. Median of ${rounds} rounds unless noted otherwise.`,
    '### Limits',
    markdown([
      ['', 'limit', 'measured', ''],
      ...limits.map(({ what, limit, measured, verdict }) => [what, limit, measured, verdict]),
    ]),
    ...sections.flatMap((section) => [
      `### ${section.title}`,
      ...notes(section, date, rounds),
      markdown(tableOf(section)),
    ]),
  ].join('\n\n');
}

function notes(section, date, usual) {
  const day = section.date.slice(0, 10);
  return [
    ...(day === date.slice(0, 10) ? [] : [`Measured on ${day}.`]),
    ...(section.rounds !== undefined && section.rounds !== usual ? [`Median of ${section.rounds}.`] : []),
    ...(section.void ? [`Void: the control is ${section.control.toFixed(3)}.`] : []),
  ];
}

/** A table of rows; the first one names the columns. */
export function markdown([titles, ...rows]) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const rule = titles.map((_, column) => (column === 0 ? '---' : '---:'));
  return [titles, rule, ...rows].map(line).join('\n');
}
