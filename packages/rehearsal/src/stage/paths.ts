import { isAbsolute, normalize, relative, resolve } from 'node:path';

/** The folders of a rehearsal, and those of the recording that they replace. */
export interface Folders {
  readonly workspace: string;
  readonly home: string;
  readonly recordedCwd: string | undefined;
  readonly recordedHome: string | undefined;
}

/** Replaces the folders of the recording in a text with those of the rehearsal. */
export function toStage(text: string, folders: Folders): string {
  const { workspace, home, recordedCwd, recordedHome } = folders;
  return replaceFolder(replaceFolder(text, recordedCwd, workspace), recordedHome, home);
}

/** Replaces the folders of both sides with names, so that texts of different runs and machines can be compared. */
export function toNames(text: string, folders: Folders): string {
  const { workspace, home, recordedCwd, recordedHome } = folders;
  const names: readonly (readonly [string | undefined, string])[] = [
    [workspace, '<workspace>'],
    [projectName(workspace), '<project>'],
    [home, '<home>'],
    [recordedCwd, '<workspace>'],
    [recordedHome, '<home>'],
  ];
  return names.reduce((named, [folder, name]) => replaceFolder(named, folder, name), text);
}

/** The path of a recorded file in the rehearsal; undefined if it is outside of its folders. */
export function placeOf(path: string, folders: Folders): string | undefined {
  const mapped = toStage(normalize(path), folders);
  return isInStage(mapped, folders) ? resolve(folders.workspace, mapped) : undefined;
}

/** True for a path of the rehearsal that is in its folders. */
export function isInStage(path: string, { workspace, home }: Folders): boolean {
  const absolute = resolve(workspace, path);
  return [workspace, home].some((folder) => isInside(absolute, folder));
}

/** True if the path is the folder or below it. Both are normalised. */
export function isInside(path: string, folder: string): boolean {
  const rest = relative(folder, path);
  return rest === '' || (!rest.startsWith('..') && !isAbsolute(rest));
}

function replaceFolder(text: string, folder: string | undefined, by: string): string {
  if (folder === undefined || folder.length < 2 || !text.includes(folder)) return text;
  return text.replace(new RegExp(`${escaped(folder)}(?![\\w-]|\\.\\w)`, 'g'), () => by);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** The CLI's name for the folder of a project. */
function projectName(folder: string): string {
  return folder.replace(/[^a-zA-Z0-9]/g, '-');
}
