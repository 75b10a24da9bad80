import type { Hunk } from '../api.ts';

/** Parses the hunks of one file in unified format: the server's own, whose line numbers may be unknown, or that of a patch. */
export function parseUnified(text: string): readonly Hunk[] {
  const hunks: (Omit<Hunk, 'lines'> & { readonly lines: string[] })[] = [];
  for (const line of text.split('\n')) {
    const head = /^@@ -(\d+|\?)(?:,\d+)? \+(\d+|\?)(?:,\d+)? @@(?: (\d+) unchanged)?/.exec(line);
    if (head) {
      const [oldStart = null, newStart = null, leftOut = null] = head.slice(1).map(numberOf);
      hunks.push({ oldStart, newStart, leftOut, lines: [] });
    }
    // Lines before the first hunk are paths.
    else if (hunks.length > 0 && /^[ +-]/.test(line)) hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}

function numberOf(digits: string | undefined): number | null {
  return digits === undefined || digits === '?' ? null : Number(digits);
}
