import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../exit-codes.ts';

/**
 * The conversations that the arguments name: files, and those in folders (`.jsonl` transcripts, `.ndjson` cassettes and `.json` scenarios, also
 * one folder deeper, as in `~/.claude/projects`). Links are not followed. Newest first.
 */
export async function scenarioFiles(
  paths: readonly string[],
  { since, limit }: FileChoice,
): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => filesAt(path)));
  const files = found.flat().filter(({ changed }) => since === undefined || changed >= since);
  if (files.length === 0) throw new UsageError(`No conversation was found in ${paths.join(', ')}.`);
  return files
    .sort((a, b) => b.changed - a.changed || a.path.localeCompare(b.path))
    .slice(0, limit)
    .map(({ path }) => path);
}

/** Which conversations are wanted. */
export interface FileChoice {
  /** Changed at this time or later, in ms since the epoch. */
  readonly since: number | undefined;
  readonly limit: number | undefined;
}

interface Found {
  readonly path: string;
  readonly changed: number;
}

async function filesAt(path: string): Promise<Found[]> {
  const stats = await lstat(path).catch(() => {
    throw new UsageError(`${path} does not exist.`);
  });
  if (!stats.isDirectory()) return [{ path, changed: stats.mtimeMs }];
  return filesIn(path, 1);
}

async function filesIn(folder: string, deeper: number): Promise<Found[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = entries.map(async (entry): Promise<Found[]> => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return deeper > 0 && entry.name !== 'subagents' ? filesIn(path, deeper - 1) : [];
    if (!entry.isFile() || !/\.(jsonl?|ndjson)$/.test(entry.name)) return [];
    return [{ path, changed: (await lstat(path)).mtimeMs }];
  });
  return (await Promise.all(found)).flat();
}
