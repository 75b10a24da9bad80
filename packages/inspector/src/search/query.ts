import { badRequest } from '../refusal.ts';
import { dayOf } from '../stats/aggregates.ts';

/** What is searched for: a text, and filters that must all match. Empty ones do not filter. */
export interface Query {
  /** In lower case. */
  readonly text: string;
  /** A part of the path of a file that a tool reads or changes. */
  readonly file: string;
  readonly tool: string;
  /** A part of the folder of the agent. */
  readonly project: string;
  readonly after: number | null;
}

const FILTER = /(?:^|\s)(file|tool|project|after):(?:"([^"]*)"|(\S+))/g;

/** Reads `rate file:src/rate.ts tool:Edit project:rowing after:2026-11-18`; values with blanks are quoted. @throws Refusal */
export function queryIn(text: string, now: number): Query {
  const found: Record<string, string> = {};
  for (const [, name = '', quoted, word] of text.matchAll(FILTER)) found[name] = (quoted ?? word ?? '').toLowerCase();
  const { file = '', tool = '', project = '', after } = found;
  const rest = text.replace(FILTER, ' ').replace(/\s+/g, ' ').trim().toLowerCase();
  return { text: rest, file, tool, project, after: after === undefined ? null : startOf(after, now) };
}

/** The time that a date begins, in the time zone of the server: `2026-11-18`, `today`, `yesterday`, `7d`. @throws Refusal */
function startOf(date: string, now: number): number {
  const days = date === 'today' ? 0 : date === 'yesterday' ? 1 : Number(/^(\d{1,4})d$/.exec(date)?.[1] ?? Number.NaN);
  if (!Number.isNaN(days)) return midnight(new Date(now), days);
  const at = /^\d{4}-\d{2}-\d{2}$/.test(date) ? new Date(`${date}T00:00:00`).getTime() : Number.NaN;
  // The 31st of February is a day in March for `Date`.
  if (Number.isNaN(at) || dayOf(at) !== date)
    throw badRequest('after: needs a date such as 2026-11-18, today, yesterday or 7d');
  return at;
}

/** Counts days of the calendar: one in spring has 23 hours, and one in autumn 25. */
function midnight(day: Date, daysBefore: number): number {
  day.setDate(day.getDate() - daysBefore);
  return day.setHours(0, 0, 0, 0);
}
