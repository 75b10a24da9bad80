import { readSessionLines } from 'coxswain/transcripts';
import { fieldsOf, textIn } from '../../transcript/fields.ts';
import { standingAfter } from './turn-standing.ts';

/** How many are kept of one transcript, the newest: no more of its turns are kept. */
const MOST = 1_000;

/** A note of the CLI that it ended a turn by itself. It is a line of the transcript, but not one of its messages. */
export interface TurnEnding {
  readonly at: number;
  readonly kind: string;
}

/** The notes of a transcript about turns that the CLI ended, in their order. Never rejects. */
export async function turnEndings(path: string): Promise<readonly TurnEnding[]> {
  const found: TurnEnding[] = [];
  try {
    for await (const line of readSessionLines(path)) {
      const ending = line.includes('"attachment"') ? endingIn(line) : undefined;
      if (ending !== undefined) found.push(ending);
      if (found.length > MOST) found.shift();
    }
  } catch {
    // It was removed, or cannot be read: its messages say so.
  }
  return found;
}

function endingIn(line: string): TurnEnding | undefined {
  let fields: Readonly<Record<string, unknown>>;
  try {
    fields = fieldsOf(JSON.parse(line));
  } catch {
    return undefined; // The last line may be half written.
  }
  const kind = fields.type === 'attachment' ? standingAfter(fields) : undefined;
  const at = Date.parse(textIn(fields, 'timestamp') ?? '');
  return kind === undefined || Number.isNaN(at) ? undefined : { at, kind };
}
