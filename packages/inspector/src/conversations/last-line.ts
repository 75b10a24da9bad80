import type { ConversationState, Entry } from '../api.ts';
import { oneLine } from '../transcript/cut.ts';

/** How far back an entry with a text or a call is searched. */
const LOOKED = 10;

/** The last text or tool call of the agent of a conversation, if it has work; `null` otherwise. */
export function lastLineOf(
  state: ConversationState,
  { total }: { readonly total: number },
  entry: (n: number) => Entry | undefined,
): string | null {
  if (state !== 'running' && state !== 'waiting' && state !== 'needs-me') return null;
  for (let n = total - 1; n >= Math.max(0, total - LOOKED); n -= 1) {
    const line = lineOf(entry(n));
    if (line !== null) return line;
  }
  return null;
}

function lineOf(entry: Entry | undefined): string | null {
  switch (entry?.kind) {
    case 'text':
      // Long enough for the last line of most answers, and bounded.
      return oneLine(entry.text.text.slice(-1_000).trim().split('\n').at(-1) ?? '') || null;
    case 'tool':
      return oneLine(`${entry.name} ${entry.argument}`);
    case 'error':
      return oneLine(entry.message);
    default:
      return null;
  }
}
