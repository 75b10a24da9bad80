import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What was noted about a conversation beside its messages. */
export interface Marks {
  readonly tag?: string | undefined;
  readonly archived?: boolean | undefined;
}

/** Tags are appended, and the CLI repeats them near the end. */
const TAIL_BYTES = 64 * 1024;

/** The marks of the conversation whose transcript is at `path`; none if they cannot be read. */
export async function marksOf(path: string): Promise<Marks> {
  const lines = (await lastLines(path)).filter((line) => line.includes('"type":"tag"'));
  const { tag } = marksIn(lines.map((line) => parsed(line) ?? {}));
  const archive = parsed(await readFile(archiveFile(path), 'utf8').catch(() => ''));
  return { tag, archived: archive?.archived === true || undefined };
}

/** The marks among the entries of a transcript. */
export function marksIn(entries: readonly Readonly<Record<string, unknown>>[]): Marks {
  const tag = entries.findLast(({ type }) => type === 'tag')?.tag;
  return { tag: typeof tag === 'string' && tag !== '' ? tag : undefined };
}

/** Notes in the folder of the conversation whether it is archived, where other clients look for it. */
export async function markArchived(path: string, archived: boolean): Promise<void> {
  const file = archiveFile(path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify({ archived, at: new Date().toISOString(), by: 'sdk' }), { mode: 0o600 });
}

function archiveFile(path: string): string {
  return join(path.replace(/\.jsonl$/, ''), 'archived.json');
}

async function lastLines(path: string): Promise<string[]> {
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
      await file.read(buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString('utf8').split('\n');
    } finally {
      await file.close();
    }
  } catch {
    return [];
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
