import type { Entry } from '../../api.ts';

/** Where two transcripts differ. */
export interface Difference {
  /** Number of prompts, answers and calls that are the same. */
  readonly same: number;
  /** The number of the first entry of each that the other does not have; `null` if it has no more. */
  readonly from: readonly [number | null, number | null];
}

/** Compares texts and tool calls. Times, costs and reports always differ, and are left out. */
export function differenceOf(a: readonly Entry[], b: readonly Entry[]): Difference {
  const [first, second] = [a.filter(isCompared), b.filter(isCompared)];
  let same = 0;
  while (same < first.length && same < second.length && contentOf(first[same]) === contentOf(second[same])) same++;
  return { same, from: [first[same]?.n ?? null, second[same]?.n ?? null] };
}

function isCompared({ kind, depth }: Entry): boolean {
  return depth === 0 && (kind === 'prompt' || kind === 'text' || kind === 'tool');
}

function contentOf(entry: Entry | undefined): string {
  if (entry?.kind === 'prompt' || entry?.kind === 'text')
    return `${entry.kind} ${entry.text.length} ${entry.text.text}`;
  return entry?.kind === 'tool' ? `${entry.name} ${entry.input.text}` : '';
}
