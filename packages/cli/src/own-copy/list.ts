import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inspectCli, PINNED_VERSION } from 'coxswain';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { bytes } from '../render/format.ts';
import { table } from '../render/table.ts';
import { columnsOf, paintFor, type Terminal } from '../terminal/terminal.ts';
import { findPinned, platformBuild } from './sdk-install.ts';

/** A CLI there is. */
interface Listed {
  readonly version: string | null;
  readonly path: string;
  /** Which flags of `--cli` use it. */
  readonly use: string;
  readonly bytes: number | null;
}

/** `cox cli list`: the CLI that would be used, and the copies that were fetched. */
export async function list(
  flags: { readonly json?: boolean; readonly color?: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  const listed = [...(await inUse()), ...(await ownCopies(terminal.env))];
  const { stdout } = terminal;
  if (flags.json) {
    stdout.write(`${JSON.stringify(listed)}\n`);
  } else if (listed.length === 0) {
    terminal.stderr.write('No Claude Code is installed. Fetch one: cox cli install\n');
  } else {
    const rows = listed.map(({ version, use, bytes: size, path }) => [
      version ?? '?',
      use,
      size === null ? '' : bytes(size),
      path,
    ]);
    const paint = paintFor(stdout, terminal.env, flags.color);
    for (const line of table(['version', 'used by', 'size', 'path'], rows, paint, columnsOf(stdout)))
      stdout.write(`${line}\n`);
  }
  return EXIT.ok;
}

async function inUse(): Promise<Listed[]> {
  const { found, version } = await inspectCli();
  if (found === undefined) return [];
  return [
    { version: version?.kind === 'found' ? version.version : null, path: found.path, use: 'auto', bytes: found.size },
  ];
}

async function ownCopies(env: NodeJS.ProcessEnv): Promise<Listed[]> {
  const { folder } = await findPinned({ env });
  const names = await readdir(dirname(folder)).catch(() => []);
  const { id, binary } = platformBuild(process.platform);
  const versions = names.filter((name) => name.endsWith(`-${id}`)).map((name) => name.slice(0, -id.length - 1));
  const copies = await Promise.all(
    versions.sort().map(async (version) => {
      const { installed, folder: own } = await findPinned({ env, version }).catch(() => ({
        installed: undefined,
        folder: '',
      }));
      const path = installed?.path ?? join(own, binary);
      const use =
        installed === undefined ? 'damaged' : version === PINNED_VERSION ? 'pinned' : `pinned --cli-version ${version}`;
      return { version, path, use, bytes: await sizeOf(path) };
    }),
  );
  return copies;
}

async function sizeOf(path: string): Promise<number | null> {
  return await stat(path).then(
    ({ size }) => size,
    () => null,
  );
}
