import { lstatSync } from 'node:fs';
import { lookAt, newScratch } from './look.ts';
import { projectFolders, type SessionFile, sessionFilesIn } from './place.ts';
import type { SessionInfo } from './session-info.ts';
import type { ListSessionsOptions } from './sessions.ts';

/** How long the event loop is kept waiting at a time. */
const SLICE_MS = 10;

/** Lists sessions, the newest first. What cannot be read, or has no conversation in it, is left out. @throws SessionFileError */
export async function list(options: ListSessionsOptions): Promise<SessionInfo[]> {
  const { limit = Number.POSITIVE_INFINITY, offset = 0, sort = 'updated' } = options;
  const pause = breaks();
  const files: { file: SessionFile; changedAt: number }[] = [];
  for (const folder of await projectFolders(options)) {
    for (const file of await sessionFilesIn(folder)) {
      files.push({ file, changedAt: changeOf(file) });
      await pause();
    }
  }
  files.sort((a, b) => b.changedAt - a.changedAt || compare(a.file.id, b.file.id));

  const scratch = newScratch();
  const infos: SessionInfo[] = [];
  // Sorted by their last change, only those on the page and before it have to be looked at.
  const enough = sort === 'updated' ? offset + limit : Number.POSITIVE_INFINITY;
  for (const { file } of files) {
    const look = lookAt(file, scratch);
    if (look) infos.push(look.info);
    if (infos.length >= enough) break;
    await pause();
  }
  if (sort === 'created') infos.sort((a, b) => b.createdAt - a.createdAt || compare(a.id, b.id));
  return infos.slice(offset, offset + limit);
}

/** Gives the event loop a turn when it has waited for long enough. */
function breaks(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return new Promise((resolve) =>
      setImmediate(() => {
        since = performance.now();
        resolve();
      }),
    );
  };
}

function changeOf({ path }: SessionFile): number {
  try {
    return lstatSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
