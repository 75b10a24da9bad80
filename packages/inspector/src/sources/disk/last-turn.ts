import { endOfFile } from '../../transcript/end-of-file.ts';
import { fieldsOf } from '../../transcript/fields.ts';
import { statusAfter } from './turn-status.ts';

/** Bytes read from the end of a transcript. Its last lines may be long: the CLI also writes its own prompts. */
const TAIL_BYTES = 256 * 1024;

/** How the last turn of a transcript ended, see `statusAfter`; `null` if the end of the file does not show it. Never rejects. */
export async function lastTurnOf(path: string): Promise<string | null> {
  const tail = await endOfFile(path, TAIL_BYTES).catch(() => '');
  const lines = tail.toString('utf8').split('\n');
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const standing = statusAfter(parsed(lines[at] ?? ''));
    if (standing !== undefined) return standing;
  }
  return null;
}

/** The fields of a line; empty if the line is incomplete. */
function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(JSON.parse(line));
  } catch {
    return {};
  }
}
