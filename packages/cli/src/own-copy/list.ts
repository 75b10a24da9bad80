import { inspectCli, installedClis, PINNED_VERSION } from 'coxswain/cli';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { bytes } from '../render/format.ts';
import { table } from '../render/table.ts';
import { columnsOf, paintFor, type Terminal } from '../terminal/terminal.ts';

/** An available CLI. */
interface Listed {
  readonly version: string | null;
  readonly path: string;
  /** The value of `--cli` that uses it. */
  readonly use: string;
  readonly bytes: number | null;
}

/** `cox cli list`: the CLI that would be used, and the downloaded copies. */
export async function list(
  flags: { readonly json?: boolean; readonly color?: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  const listed = [...(await inUse()), ...(await ownCopies(terminal.env))];
  const { stdout } = terminal;
  if (flags.json) {
    stdout.write(`${JSON.stringify(listed)}\n`);
  } else if (listed.length === 0) {
    terminal.stderr.write('No Claude Code is installed. Download it: cox cli install\n');
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
  const copies = await installedClis({ env });
  return copies.map(({ version, path, bytes: size, intact }) => {
    const use = version === PINNED_VERSION ? 'pinned' : `pinned --cli-version ${version}`;
    return { version, path, use: intact ? use : 'damaged', bytes: size };
  });
}
