import { objectIn } from '../wire/kinds.ts';
import { type Entry, entryOf, textIn } from './entry.ts';
import type { Transcript } from './main-chain.ts';
import { readSessionLines } from './session-files.ts';

/** Reads a transcript without broken lines and lines outside of the conversation. @throws SessionFileError */
export async function readTranscript(path: string): Promise<Transcript> {
  const entries: Entry[] = [];
  let lastLeaf: string | undefined;
  for await (const line of readSessionLines(path)) {
    // Skip records of API requests without parsing them: they can be most of a transcript.
    if (!line.includes('"uuid"') && !line.includes('"leafUuid"')) continue;
    const object = objectIn(line) ?? {};
    const entry = entryOf(object, line);
    if (entry) entries.push(entry);
    else if (object.type === 'last-prompt') lastLeaf = textIn(object, 'leafUuid') ?? lastLeaf;
  }
  return { entries, lastLeaf };
}
