import { readSessionLines } from 'coxswain/transcripts';
import { fieldsOf, textIn } from '../../transcript/fields.ts';
import { statusAfter } from './turn-status.ts';

/** Number of endings kept per transcript, the newest: as many as its turns. */
const MOST = 1_000;

/** A note that the CLI itself ended a turn: a line of the transcript that is not a message. */
export interface TurnEnding {
  readonly at: number;
  readonly kind: string;
}

/** The notes of a transcript about turns that the CLI ended, in order. Never rejects. */
export async function turnEndings(path: string): Promise<readonly TurnEnding[]> {
  const found: TurnEnding[] = [];
  try {
    for await (const line of readSessionLines(path)) {
      const ending = line.includes('"attachment"') ? endingIn(line) : undefined;
      if (ending !== undefined) found.push(ending);
      if (found.length > MOST) found.shift();
    }
  } catch {
    // The file was removed or is unreadable; reading its messages reports that.
  }
  return found;
}

function endingIn(line: string): TurnEnding | undefined {
  let fields: Readonly<Record<string, unknown>>;
  try {
    fields = fieldsOf(JSON.parse(line));
  } catch {
    return undefined; // The last line may be incomplete.
  }
  const kind = fields.type === 'attachment' ? statusAfter(fields) : undefined;
  const at = Date.parse(textIn(fields, 'timestamp') ?? '');
  return kind === undefined || Number.isNaN(at) ? undefined : { at, kind };
}
