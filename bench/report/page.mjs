import { tableOf } from './names.mjs';

const [OPEN, CLOSE] = ['<!-- bench -->', '<!-- /bench -->'];
const NEW_PAGE = `# Performance\n\n${OPEN}\n${CLOSE}\n`;

/** The page with the figures between its markers; what is around them is not touched. */
export function pageWith(page = NEW_PAGE, results) {
  const [from, to] = [page.indexOf(OPEN), page.indexOf(CLOSE)];
  if (from === -1 || to < from) throw new Error(`docs/performance.md has no ${OPEN} … ${CLOSE} for the figures`);
  return `${page.slice(0, from + OPEN.length)}\n${figures(results)}\n${page.slice(to)}`;
}

function figures({ date, rounds, machine, versions, load, limits, sections }) {
  const where = `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}`;
  const what = `Coxswain ${versions.coxswain} (${versions.commit}), official SDK ${versions.officialSdk}, Node ${versions.node}`;
  return [
    '![Wall time against bare Node: Coxswain and the official SDK](performance.svg)',
    `Measured on ${date.slice(0, 10)}: ${what}; ${where}, load average ${load.toFixed(2)} before the run. Median of ${rounds} rounds unless it says otherwise.`,
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

function markdown([titles, ...rows]) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const rule = titles.map((_, column) => (column === 0 ? '---' : '---:'));
  return [titles, rule, ...rows].map(line).join('\n');
}
