import { existsSync, readFileSync } from 'node:fs';

/** The names of this machine's builds in npm packages, as in `linux-x64-musl`. */
export interface PlatformBuild {
  /** The build that runs here. */
  readonly id: string;
  /** On Linux, the build for the other C library, which does not. */
  readonly otherLibc?: string;
  /** What the binary is called inside the package. */
  readonly binary: string;
}

/** Names the build of the CLI that runs on this machine. */
export function platformBuild(platform: string, arch: string = process.arch): PlatformBuild {
  const id = `${platform}-${arch}`;
  if (platform === 'win32') return { id, binary: 'claude.exe' };
  if (platform !== 'linux') return { id, binary: 'claude' };
  const musl = `${id}-musl`;
  return usesMusl(arch) ? { id: musl, otherLibc: id, binary: 'claude' } : { id, otherLibc: musl, binary: 'claude' };
}

/** The loader alone proves nothing, since glibc systems can have musl installed: what counts is what this process runs on. */
function usesMusl(arch: string): boolean {
  const machine = arch === 'x64' ? 'x86_64' : arch === 'arm64' ? 'aarch64' : arch;
  if (!existsSync(`/lib/ld-musl-${machine}.so.1`)) return false;
  try {
    return readFileSync('/proc/self/maps', 'latin1').includes('/ld-musl-');
  } catch {
    return true;
  }
}
