import { join } from 'node:path';
import { transcripts } from './transcripts.ts';

/** Notes about a conversation besides its messages. */
export interface Marks {
  readonly tag?: string | undefined;
  readonly archived?: boolean | undefined;
  /** `HEAD` if the CLI ran outside of a branch, which the core leaves out. */
  readonly branch?: 'HEAD' | undefined;
}

/** The marks of the conversation whose transcript is at `path`; none if they cannot be read. */
export async function marksOf(path: string): Promise<Marks> {
  const { readSessionTail, readSessionNote } = await transcripts();
  // Tags are appended, and the CLI repeats them near the end.
  const tail = await readSessionTail(path);
  const lines = tail.split('\n').filter((line) => line.includes('"type":"tag"'));
  const { tag } = marksIn(lines.map((line) => parsed(line) ?? {}));
  const archive = parsed(await readSessionNote(archiveFile(path)));
  const branch = tail.includes('"gitBranch":"HEAD"') ? 'HEAD' : undefined;
  return { tag, archived: archive?.archived === true || undefined, branch };
}

/** The marks among the entries of a transcript. */
export function marksIn(entries: readonly Readonly<Record<string, unknown>>[]): Marks {
  const tag = entries.findLast(({ type }) => type === 'tag')?.tag;
  const branch = entries.some(({ gitBranch }) => gitBranch === 'HEAD') ? 'HEAD' : undefined;
  return { tag: typeof tag === 'string' && tag !== '' ? tag : undefined, branch };
}

/** Records in the folder of the conversation whether it is archived, in the format of other clients. */
export async function markArchived(path: string, archived: boolean): Promise<void> {
  const note = JSON.stringify({ archived, at: new Date().toISOString(), by: 'sdk' });
  await (await transcripts()).writeSessionFile(archiveFile(path), note);
}

function archiveFile(path: string): string {
  return join(path.replace(/\.jsonl$/, ''), 'archived.json');
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
