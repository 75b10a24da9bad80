import { access, chmod, constants, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { RehearsalError } from '../rehearsal-error.ts';

/**
 * Creates a shell that runs commands in a jail: no network, the machine's files read-only, an empty `/tmp`, and only `folder` writable.
 * @throws RehearsalError if bubblewrap is not installed: without a jail nothing runs
 */
export async function jailedShell(folder: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const bubblewrap = env.COXSWAIN_BWRAP ?? (await inPath('bwrap', env));
  if (bubblewrap === undefined || !(await isProgram(bubblewrap))) {
    throw new RehearsalError(
      'jail',
      'cox prove runs commands in a jail, and bubblewrap (bwrap) was not found. Install it, or set COXSWAIN_BWRAP to its path; unsafe runs the commands without a jail.',
    );
  }
  const jail = [
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--bind', folder, folder],
    ...['--unshare-all', '--die-with-parent', '--new-session'],
  ];
  return program(folder, `exec ${[bubblewrap, ...jail].map(quoted).join(' ')} --chdir "$PWD" /bin/bash "$@"`);
}

/** A shell without a jail. */
export function plainShell(folder: string): Promise<string> {
  return program(folder, 'exec /bin/bash "$@"');
}

async function program(folder: string, line: string): Promise<string> {
  const path = join(folder, 'bash');
  await writeFile(path, `#!/bin/sh\n: > ${quoted(join(folder, 'called'))}\n${line}\n`);
  await chmod(path, 0o755);
  return path;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

async function inPath(name: string, { PATH = '' }: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of PATH.split(delimiter).filter((one) => one !== '')) {
    const path = join(folder, name);
    if (await isProgram(path)) return path;
  }
  return undefined;
}

function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
