import { open } from 'node:fs/promises';

/** What was noted about a conversation beside its messages. */
export interface Marks {
  readonly tag?: string | undefined;
  readonly archived?: boolean | undefined;
}

/** Marks are appended, and the CLI repeats them near the end. */
const TAIL_BYTES = 64 * 1024;

/** The last marks in a transcript; none if it cannot be read. */
export async function marksOf(path: string): Promise<Marks> {
  let tag: string | undefined;
  let archived: boolean | undefined;
  for (const line of await lastLines(path)) {
    if (!line.includes('"type":"tag"') && !line.includes('"type":"archived"')) continue;
    const entry = parsed(line);
    if (entry?.type === 'tag') tag = typeof entry.tag === 'string' && entry.tag !== '' ? entry.tag : undefined;
    if (entry?.type === 'archived') archived = entry.archived === true || undefined;
  }
  return { tag, archived };
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

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
