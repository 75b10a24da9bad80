import { projectFolderName, realCwd } from '../cli/config-folder.ts';

/** The `projectKey` that the official SDK uses for a working directory: for `storeProject`, to share its stores. */
export function projectKeyOf(cwd: string): string {
  return projectFolderName(realCwd(cwd));
}
