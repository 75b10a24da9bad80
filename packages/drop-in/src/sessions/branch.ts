import { transcripts } from './transcripts.ts';

/** `HEAD` if the CLI ran outside of a branch in the conversation at `path`, which the core leaves out. */
export async function detachedIn(path: string): Promise<'HEAD' | undefined> {
  const tail = await (await transcripts()).readSessionTail(path);
  return tail.includes('"gitBranch":"HEAD"') ? 'HEAD' : undefined;
}

/** The same for the entries of a stored conversation. */
export function detachedAmong(entries: readonly Readonly<Record<string, unknown>>[]): 'HEAD' | undefined {
  return entries.some(({ gitBranch }) => gitBranch === 'HEAD') ? 'HEAD' : undefined;
}
