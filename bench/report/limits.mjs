import { COLUMNS } from './names.mjs';

/**
 * What is demanded. `of` is where the figure is: section, contender, column. `beyond` takes another figure off first.
 * @type {readonly {what: string, of: string[], beyond?: string[], max: number}[]}
 */
const LIMITS = [
  { what: '100,000 messages of 1 KB, query()', of: ['messages-1k', 'query', 'ratio'], max: 1.12 },
  { what: '100,000 messages of 1 KB, session', of: ['messages-1k', 'session', 'ratio'], max: 1.15 },
  {
    what: 'import, beyond an empty module',
    of: ['import', 'coxswain', 'importMs'],
    beyond: ['import', 'bare', 'importMs'],
    max: 12,
  },
  { what: 'read by an import', of: ['size', 'coxswain', 'eagerKb'], max: 60 },
  { what: 'first message, beyond bare, query()', of: ['first', 'query', 'beyondMs'], max: 2 },
  { what: 'first message, beyond bare, session', of: ['first-session', 'session', 'beyondMs'], max: 2 },
  { what: '5,000 hooks as a process, query()', of: ['hooks-run', 'query', 'ratio'], max: 1.4 },
  { what: '5,000 hooks as a process, session', of: ['hooks-run', 'session', 'ratio'], max: 1.4 },
  { what: 'the same against the official SDK, query()', of: ['hooks-run', 'query', 'ofOfficial'], max: 0.7 },
  { what: 'the same against the official SDK, session', of: ['hooks-run', 'session', 'ofOfficial'], max: 0.7 },
  ...['slow-1m', 'slow-10m'].flatMap((id) =>
    ['query', 'session'].map((contender) => ({
      what: `slow reader, ${id.slice(5).toUpperCase()} messages, beyond bare, ${contender}`,
      of: [id, contender, 'peakMb'],
      beyond: [id, 'bare', 'peakMb'],
      max: 35,
    })),
  ),
  // Flat, but for what the garbage collector leaves lying around.
  ...['query', 'session'].map((contender) => ({
    what: `slow reader, 10M messages, beyond 1M, ${contender}`,
    of: ['slow-10m', contender, 'peakMb'],
    beyond: ['slow-1m', contender, 'peakMb'],
    max: 10,
  })),
  { what: 'one line of 16 MB, query()', of: ['line', 'query', 'ratio'], max: 1.15 },
  { what: 'one line of 16 MB, session', of: ['line', 'session', 'ratio'], max: 1.15 },
  { what: '200 sessions side by side, against bare', of: ['parallel-200', 'session', 'ratio'], max: 1.3 },
  { what: '200 sessions, against bare doing the same', of: ['parallel-200', 'session', 'ofSame'], max: 1.3 },
  { what: '1,000 sessions side by side', of: ['parallel-1000', 'session', 'ratio'], max: 1.25 },
  {
    what: 'memory of each of them, beyond bare',
    of: ['parallel-1000', 'session', 'usedKb'],
    beyond: ['parallel-1000', 'bare', 'usedKb'],
    max: 0.2 * 1024,
  },
  {
    what: 'longest event-loop delay while they start',
    of: ['parallel-1000', 'session', 'startDelayMs'],
    max: 100,
  },
  { what: 'cost per message, 1M against 100k, query()', of: ['million', 'query', 'growth'], max: 1.05 },
  { what: 'cost per message, 1M against 100k, session', of: ['million', 'session', 'growth'], max: 1.05 },
  { what: 'packed size', of: ['size', 'coxswain', 'packedKb'], max: 150 },
  { what: 'packages installed', of: ['size', 'coxswain', 'packages'], max: 1 },
];

/** The limits with what was measured: `met` is undefined where nothing that counts was. */
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
