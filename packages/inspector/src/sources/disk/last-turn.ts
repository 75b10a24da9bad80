import { endOfFile } from '../../transcript/end-of-file.ts';
import { fieldsOf } from '../../transcript/fields.ts';
import { standingAfter } from './turn-standing.ts';

/** How much of the end of a transcript is read. Its last lines may be long: the CLI writes its own prompts, too. */
const TAIL_BYTES = 256 * 1024;

/** How the last turn of a transcript ended, see `standingAfter`; `null` if the end of the file does not say. Never rejects. */
export async function lastTurnOf(path: string): Promise<string | null> {
  const tail = await endOfFile(path, TAIL_BYTES).catch(() => '');
  const lines = tail.toString('utf8').split('\n');
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const standing = standingAfter(parsed(lines[at] ?? ''));
    if (standing !== undefined) return standing;
  }
  return null;
}

/** The fields of a line; none of one that is cut off or half written. */
function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(JSON.parse(line));
  } catch {
    return {};
  }
}
