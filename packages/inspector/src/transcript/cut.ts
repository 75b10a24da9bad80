import type { Cut } from '../api.ts';

/** Number of characters shown before a text is cut. Markdown gets more: half of it would look broken. */
export const SHOWN = { text: 20_000, detail: 4_000, line: 200 } as const;

/** Stores the full text of a cut and returns its URL. */
export type StoreFullText = (text: string) => string;

/** A text for the page: only its beginning if it is longer than `limit`. */
export function cut(text: string, limit: number, storeFullText: StoreFullText): Cut {
  if (text.length <= limit) return { text, length: text.length, more: null };
  return { text: beginning(text, limit), length: text.length, more: storeFullText(text) };
}

/** The first characters of a text, without splitting a surrogate pair. */
function beginning(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit);
}

/** A text on one line, short enough for a list. */
export function oneLine(text: string, limit: number = SHOWN.line): string {
  const line = beginning(text, limit * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= limit ? line : `${beginning(line, limit - 1)}…`;
}

/** Data as JSON for people. */
export function indented(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? '';
  } catch {
    return String(value);
  }
}
