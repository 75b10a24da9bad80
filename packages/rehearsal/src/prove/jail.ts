import { execFile } from 'node:child_process';
import { access, chmod, constants, mkdir, readlink, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { isObject } from '@coxswain/shared/is-object';
import type { AgentOptions } from 'coxswain';
import { RehearsalError } from '../rehearsal-error.ts';

/** The folders of a jail. */
export interface JailedFolders {
  /** The only folder in which commands can write. */
  readonly writable: string;
  /** Folders in it that they can only read. */
  readonly readOnly?: readonly string[];
}

/**
 * Creates a shell that runs commands in a jail: no network, the machine's files read-only, an empty `/tmp`, and one folder writable.
 * The program is in `folder`, which commands cannot change: the CLI runs it outside of the jail.
 * @throws RehearsalError if bubblewrap is not installed or does not work: without a jail nothing runs
 */
export async function jailedShell(
  folder: string,
  { writable, readOnly = [] }: JailedFolders,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const bubblewrap = env.COXSWAIN_BWRAP ?? (await inPath('bwrap', env));
  if (bubblewrap === undefined || !(await isProgram(bubblewrap))) {
    throw new RehearsalError(
      'jail',
      'Commands run in a jail, and bubblewrap (bwrap) was not found. Install it, or set COXSWAIN_BWRAP to its path; unsafe runs the commands without a jail.',
    );
  }
  const jail = [
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--bind', writable, writable],
    ...readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...['--unshare-all', '--die-with-parent', '--new-session'],
  ];
  const jailed = `exec ${[bubblewrap, ...jail].map(quoted).join(' ')} --chdir "$PWD" /bin/bash "$@"`;
  // Only in the sandbox of the CLI the processes are others: no second jail fits into it, and it is the guard to test.
  const outside = quoted(await readlink('/proc/self/ns/pid').catch(() => ''));
  const isOutside = `[ "$(readlink /proc/self/ns/pid)" = ${outside} ]`;
  const shell = await program(folder, `if ${isOutside}; then ${jailed}; else exec /bin/bash "$@"; fi`);
  await checkJail(shell, writable);
  return shell;
}

/**
 * The sandbox of an agent is the jail of the commands in it, so it must not open anything else than the working directory.
 * @throws RehearsalError
 */
export function checkSandbox({ sandbox, settings }: Pick<AgentOptions, 'sandbox' | 'settings'>): void {
  const inSettings = isObject(settings) && isObject(settings.sandbox) ? settings.sandbox : {};
  const { filesystem, network }: Readonly<Record<string, unknown>> = { ...inSettings, ...sandbox };
  const opened = [
    ...(isObject(filesystem) ? OPENS.filter((name) => name in filesystem) : []),
    ...(isObject(network) && Object.keys(network).length > 0 ? ['network'] : []),
  ];
  if (opened.length === 0) return;
  throw new RehearsalError(
    'jail',
    `The sandbox of the agent sets ${opened.join(', ')}, so its commands would not be in a jail; unsafe runs them all the same.`,
  );
}

const OPENS = ['allowWrite', 'allowRead', 'disabled'];

/** True if a command did not run because the jail could not be made, from the result that the model reads. */
export function isJailFailure(result: string): boolean {
  return /^(Exit code \d+\n)?bwrap: /.test(result);
}

/** A jail in which commands do not run would look like a guard that nothing gets around. @throws RehearsalError */
async function checkJail(shell: string, writable: string): Promise<void> {
  const marker = join(writable, '.coxswain-jail');
  const reason = await execute(shell, ['-c', `: > ${quoted(marker)}`], { cwd: writable, timeout: 30_000 }).then(
    () => 'a command had no effect',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const ran = await access(marker).then(
    () => true,
    () => false,
  );
  await rm(marker, { force: true });
  if (!ran) throw new RehearsalError('jail', `bubblewrap cannot run commands here: ${reason}`);
}

const execute = promisify(execFile);

/** A shell without a jail. */
export function plainShell(folder: string): Promise<string> {
  return program(folder, 'exec /bin/bash "$@"');
}

async function program(folder: string, line: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'bash');
  await writeFile(path, `#!/bin/sh\n${line}\n`);
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
