import type { ChangedFile } from '../../api.ts';

/** A folder with its files; a folder that only contains another one is shown with it. */
export interface FolderNode {
  readonly name: string;
  readonly folders: readonly FolderNode[];
  readonly files: readonly { readonly name: string; readonly file: ChangedFile }[];
}

/** The tree of changed files. Paths in the folder of the agent are relative to it. */
export function treeOf(files: readonly ChangedFile[], folder: string | null): FolderNode {
  const placed = files.map((file) => ({ file, parts: partsOf(file.path, folder) }));
  return nodeOf('', placed);
}

interface Placed {
  readonly file: ChangedFile;
  readonly parts: readonly string[];
}

function nodeOf(name: string, placed: readonly Placed[]): FolderNode {
  const here = placed.filter(({ parts }) => parts.length <= 1);
  const below = new Map<string, Placed[]>();
  for (const { file, parts } of placed) {
    const [first = '', ...rest] = parts;
    if (rest.length > 0) below.set(first, [...(below.get(first) ?? []), { file, parts: rest }]);
  }
  const folders = [...below].map(([first, inside]) => nodeOf(first, inside));
  const [only] = folders;
  if (name !== '' && here.length === 0 && folders.length === 1 && only !== undefined)
    return { ...only, name: `${name}/${only.name}` };
  return { name, folders, files: here.map(({ file, parts }) => ({ name: parts[0] ?? file.path, file })) };
}

/** A path in the folder of the agent, relative to it; other paths as they are. */
export function pathInside(path: string, folder: string | null): string {
  return folder !== null && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

function partsOf(path: string, folder: string | null): readonly string[] {
  const inside = pathInside(path, folder);
  // The root of an absolute path belongs to its first folder.
  const [first = '', second, ...rest] = inside.split('/');
  return first === '' && second !== undefined ? [`/${second}`, ...rest] : inside.split('/');
}
