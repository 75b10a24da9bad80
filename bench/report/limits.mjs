import { COLUMNS } from './names.mjs';

/**
 * The limits. `of` locates the figure: section, contender, column. `beyond` subtracts another figure first.
 * @type {readonly {what: string, of: string[], beyond?: string[], max: number}[]}
 */
const LIMITS = [
  {
    what: 'import, beyond an empty module',
    of: ['import', 'coxswain', 'importMs'],
    beyond: ['import', 'bare', 'importMs'],
    max: 20,
  },
  ...both('100,000 messages of 1 KB', 'messages-1k', 'ratio', 1.35),
  ...both('100,000 messages of 1 KB, against the official SDK', 'messages-1k', 'ofOfficial', 0.8),
  ...both('5,000 hooks as a process', 'hooks-run', 'ratio', 1.7),
  ...both('5,000 hooks as a process, against the official SDK', 'hooks-run', 'ofOfficial', 0.85),
  { what: '200 sessions side by side', of: ['parallel-200', 'session', 'ratio'], max: 1.5 },
  {
    what: '200 sessions side by side, against the official SDK',
    of: ['parallel-200', 'session', 'ofOfficial'],
    max: 1,
  },
  ...['slow-1m', 'slow-10m'].flatMap((id) =>
    both(`slow reader, ${id.slice(5).toUpperCase()} messages, beyond bare`, id, 'peakMb', 35).map((limit) => ({
      ...limit,
      beyond: [id, 'bare', 'peakMb'],
    })),
  ),
  // Flat, except for garbage that is not collected yet.
  ...both('slow reader, 10M messages, beyond 1M', 'slow-10m', 'peakMb', 10).map((limit) => ({
    ...limit,
    beyond: ['slow-1m', ...limit.of.slice(1)],
  })),
  { what: 'first message, beyond bare, query()', of: ['first', 'query', 'beyondMs'], max: 4 },
  { what: 'first message, beyond bare, session', of: ['first-session', 'session', 'beyondMs'], max: 4 },
  { what: 'packed size, source maps included', of: ['size', 'coxswain', 'packedKb'], max: 750 },
  { what: 'packages installed', of: ['size', 'coxswain', 'packages'], max: 1 },
];

/**
 * The same limit for a query and for a session.
 * @param {string} what
 * @param {string} section
 * @param {string} column
 * @param {number} max
 */
function both(what, section, column, max) {
  return [
    { what: `${what}, query()`, of: [section, 'query', column], max },
    { what: `${what}, session`, of: [section, 'session', column], max },
  ];
}

/** The limits with the measured figures: `met` is undefined without a valid figure. */
export function checkLimits(sections) {
  return LIMITS.map(({ what, of, beyond, max }) => {
    const { show } = COLUMNS[of[2]];
    const limit = `≤ ${show(max)}`;
    const figures = [of, ...(beyond ? [beyond] : [])].map((path) => figureAt(sections, path));
    if (figures.includes(undefined)) return { what, limit, measured: '–', verdict: 'not measured' };
    const value = figures[0].value - (figures[1]?.value ?? 0);
    if (figures.some((figure) => figure.void)) return { what, limit, measured: show(value), verdict: 'void' };
    const met = value <= max;
    return { what, limit, measured: show(value), met, verdict: met ? 'met' : 'NOT MET' };
  });
}

function figureAt(sections, [id, contender, column]) {
  const section = sections.find((candidate) => candidate.id === id);
  const value = section?.rows.find((row) => row.contender === contender)?.[column];
  return value === undefined ? undefined : { value, void: section.void === true };
}
