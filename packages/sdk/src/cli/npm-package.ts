import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseVersion } from '@coxswain/shared/version';
import type { SearchedPlace } from '../errors/start.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import { type Candidate, DOES_NOT_EXIST, examine } from './candidate.ts';

const SCOPE = '@anthropic-ai';

/** The packages whose platform packages contain the CLI, the CLI's own first. */
const PRODUCTS = ['claude-code', 'claude-agent-sdk'] as const;

/** Searches every `node_modules` above `from`, nearest first, for an npm package with the CLI. */
export function findInPackages(
  from: string | undefined,
  platform: string,
  searched: SearchedPlace[],
): Candidate | undefined {
  if (from === undefined) {
    searched.push({ place: `npm packages of ${SCOPE}`, reason: 'the folder of this library is unknown' });
    return undefined;
  }
  let seen = false;
  for (const folder of moduleFolders(from)) {
    const scope = join(folder, SCOPE);
    if (!existsSync(scope)) continue;
    seen = true;
    const found = findInScope(scope, platform, searched);
    if (found) return found;
  }
  if (!seen) searched.push({ place: `npm packages of ${SCOPE}, from ${from} upwards`, reason: 'not installed' });
  return undefined;
}

/** Searches one `node_modules/@anthropic-ai` folder for the CLI. */
export function findInScope(scope: string, platform: string, searched: SearchedPlace[]): Candidate | undefined {
  const build = platformBuild(platform);
  for (const product of PRODUCTS) {
    const main = join(scope, product);
    const root = realPathOf(main);
    // pnpm keeps dependencies beside the real main package; npm nests a dependency that it cannot hoist.
    for (const folder of new Set([scope, ...(root ? [join(root, 'node_modules', SCOPE), dirname(root)] : [])])) {
      const file = join(folder, `${product}-${build.id}`, build.binary);
      const found = examine(file, platform);
      if (typeof found !== 'string') return found;
      if (found !== DOES_NOT_EXIST) searched.push({ place: file, reason: found });
      const place = join(folder, `${product}-${build.otherLibc}`);
      const reason = 'is built for a different C library';
      if (build.otherLibc !== undefined && existsSync(place)) searched.push({ place, reason });
    }
    const inMain = root !== undefined && product === 'claude-code' ? examineMain(main, build, platform) : undefined;
    if (inMain && 'command' in inMain) return inMain;
    if (inMain) searched.push(inMain);
  }
  return undefined;
}

/** The version of the npm package that contains a CLI, if the package has the same versions as the CLI. */
export function packageVersionOf(path: string): string | undefined {
  const root = /^.*[\\/]@anthropic-ai[\\/]claude-code(?:-[\w-]+)?(?=[\\/])/.exec(path)?.[0];
  const version = root === undefined ? undefined : readManifest(root)?.version;
  return typeof version === 'string' ? parseVersion(version) : undefined;
}

/** The folder of this library; `undefined` if it was bundled into a format without `import.meta.url`. */
export function ownFolder(): string | undefined {
  const url: unknown = import.meta.url;
  if (typeof url !== 'string' || !url.startsWith('file:')) return undefined;
  // Electron can read from an archive but not start programs in it; its packager unpacks binaries beside the archive.
  return dirname(fileURLToPath(url)).replace(/\.asar(?=[\\/]|$)/, '.asar.unpacked');
}

function* moduleFolders(from: string): Generator<string> {
  for (let folder = from; ; folder = dirname(folder)) {
    if (basename(folder) !== 'node_modules') yield join(folder, 'node_modules');
    if (dirname(folder) === folder) return;
  }
}

/** Until its install script has run, the main package contains a small text file instead of the binary. */
function examineMain(main: string, build: PlatformBuild, platform: string): Candidate | SearchedPlace {
  const bin = readManifest(main)?.bin;
  const entry =
    typeof bin === 'string' ? bin : isJsonObject(bin) && typeof bin.claude === 'string' ? bin.claude : 'cli.js';
  const place = join(main, entry);
  const found = examine(place, platform);
  if (typeof found === 'string') return { place, reason: found };
  if (found.kind === 'native' || found.command.length > 1) return found;
  const reason = `is a placeholder: ${SCOPE}/claude-code-${build.id} is not installed, and the install script did not run`;
  return { place, reason };
}

function realPathOf(folder: string): string | undefined {
  try {
    return realpathSync.native(folder);
  } catch {
    return undefined;
  }
}

function readManifest(folder: string): JsonObject | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return isJsonObject(manifest) ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/** The names of this machine's builds in npm packages, such as `linux-x64-musl`. */
export interface PlatformBuild {
  /** The build that runs here. */
  readonly id: string;
  /** On Linux, the build for the other C library, which does not run here. */
  readonly otherLibc?: string;
  /** The file name of the binary in the package. */
  readonly binary: string;
}

/** The builds of the CLI for this machine. */
export function platformBuild(platform: string, arch: string = process.arch): PlatformBuild {
  const id = `${platform}-${arch}`;
  if (platform === 'win32') return { id, binary: 'claude.exe' };
  if (platform !== 'linux') return { id, binary: 'claude' };
  const musl = `${id}-musl`;
  return usesMusl(arch) ? { id: musl, otherLibc: id, binary: 'claude' } : { id, otherLibc: musl, binary: 'claude' };
}

/** A glibc system may also have the musl loader, so check the libraries of this process. */
function usesMusl(arch: string): boolean {
  const machine = arch === 'x64' ? 'x86_64' : arch === 'arm64' ? 'aarch64' : arch;
  if (!existsSync(`/lib/ld-musl-${machine}.so.1`)) return false;
  try {
    return readFileSync('/proc/self/maps', 'latin1').includes('/ld-musl-');
  } catch {
    return true;
  }
}
