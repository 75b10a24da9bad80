import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { clientPlaces } from '../../clients/install.mjs';

/** The exports of both packages, as the drop-in declares them. */
export type Sdk = typeof import('@coxswain/drop-in');
export type SdkName = 'official' | 'dropIn';

/** The folders of the two packages as npm installs them. */
export const FOLDERS: Readonly<Record<SdkName, string>> = {
  official: join(clientPlaces('node-20').official, 'node_modules/@anthropic-ai/claude-agent-sdk'),
  dropIn: fileURLToPath(new URL('../..', import.meta.url)),
};

/** The main file of a package, for `import()`. */
export function entryOf(name: SdkName): string {
  const folder = FOLDERS[name];
  // The part of a package.json that names the file.
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { exports: Exports };
  return pathToFileURL(join(folder, exports['.'].default)).href;
}
type Exports = { readonly '.': { readonly default: string } };

/** Loads the built package like a program. The official one changes variables of this process, which are restored. */
export async function loadSdk(name: SdkName): Promise<Sdk> {
  const before = { ...process.env };
  try {
    return await import(entryOf(name));
  } finally {
    restoreEnv(before);
  }
}

/** Restores the environment of this process. */
export function restoreEnv(before: NodeJS.ProcessEnv): void {
  for (const key of Object.keys(process.env)) if (!(key in before)) delete process.env[key];
  Object.assign(process.env, before);
}
