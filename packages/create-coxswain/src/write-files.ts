import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { ScaffoldError } from './choices.ts';
import type { Files } from './template.ts';

/** Which files were written, and which were there already and stay as they are. */
export interface Written {
  readonly written: readonly string[];
  readonly kept: readonly string[];
}

/** Writes new files. Overwrites none, and writes nothing outside of the folder. @throws ScaffoldError */
export function writeFiles(folder: string, files: Files): Written {
  const written: string[] = [];
  const kept: string[] = [];
  for (const [path, text] of files) (writeNew(folder, path, text) ? written : kept).push(path);
  return { written, kept };
}

/** False if there is something at this path. */
function writeNew(root: string, path: string, text: string): boolean {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  const place = realpathSync(dirname(file));
  const inside = realpathSync(root);
  if (place !== inside && !place.startsWith(inside.endsWith(sep) ? inside : inside + sep))
    throw new ScaffoldError(`${path} would be outside of the project: ${dirname(file)} is a link.`);
  try {
    writeFileSync(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
