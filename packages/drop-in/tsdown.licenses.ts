import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Rolldown } from 'tsdown';

/** Writes the licences of the bundled packages into a file beside the bundle, as they require. */
export function licenses(fileName: string): Rolldown.Plugin {
  return {
    name: 'licenses',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((output) => (output.type === 'chunk' ? output.moduleIds : []));
      const folders = new Set(modules.filter((id) => id.includes('/node_modules/')).map(packageOf));
      const source = [...folders].sort().map(licenseOf).join('\n');
      this.emitFile({ type: 'asset', fileName, source });
    },
  };
}

/** The folder of the package of a module. */
function packageOf(id: string): string {
  let folder = dirname(id);
  // Some packages have a package.json without a name in their folders.
  while (manifestIn(folder)?.name === undefined) folder = dirname(folder);
  return folder;
}

function manifestIn(folder: string): { name?: string; version?: string } | undefined {
  const path = join(folder, 'package.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

function licenseOf(folder: string): string {
  const { name, version } = manifestIn(folder) ?? {};
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence file`);
  return `## ${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
