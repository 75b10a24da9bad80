import { accessSync, constants, statSync } from 'node:fs';
import { reasonOf, systemCodeOf } from '../errors/base.ts';
import { SpawnError, type SpawnFailure } from '../errors/start.ts';
import type { StartRequest } from './transport.ts';

export function spawnFailure(cause: unknown, request: StartRequest): SpawnError {
  const path = request.argv[0] ?? '';
  const code = systemCodeOf(cause);
  // Node's message quotes the invalid value, which may be a secret from the environment.
  if (code === 'ERR_INVALID_ARG_VALUE' || code === 'ERR_INVALID_ARG_TYPE') {
    return new SpawnError(
      `${path} was not started: its path, an argument, an environment variable or the cwd is empty, holds a NUL byte or is not a string.`,
      { reason: 'other', path },
    );
  }
  const reason = REASONS[code] ?? 'other';
  // The system reports an invalid working directory with the same codes as an invalid program.
  const cwdProblem = reason === 'not-found' || reason === 'permission' ? problemOf(request.cwd) : undefined;
  if (cwdProblem !== undefined) {
    return new SpawnError(
      `The working directory ${request.cwd || 'of this process'} ${cwdProblem}, so ${path} was not started. Create it or pass another cwd.`,
      { reason: 'cwd', path, cause },
    );
  }
  return new SpawnError(MESSAGES[reason](path, code || reasonOf(cause)), { reason, path, cause });
}

type Described = Exclude<SpawnFailure, 'cwd' | 'private-file' | 'adapter'>;

const REASONS: Readonly<Record<string, Described>> = {
  ENOENT: 'not-found',
  ENOTDIR: 'not-found',
  EACCES: 'permission',
  EPERM: 'permission',
  E2BIG: 'argument-too-long',
  ENAMETOOLONG: 'argument-too-long',
  EMFILE: 'resources',
  ENFILE: 'resources',
  EAGAIN: 'resources',
  ENOMEM: 'resources',
};

const MESSAGES: Readonly<Record<Described, (path: string, code: string) => string>> = {
  'not-found': (path, code) =>
    `${path} was not found, or the interpreter in its first line was not (${code}). Check the option cli.`,
  permission: (path, code) =>
    `${path} cannot be executed (${code}). Make it executable (chmod +x) or pass another path as cli.`,
  'argument-too-long': (path, code) =>
    `The command line of ${path} is longer than the system allows (${code}). Shorten the options passed as text, such as the system prompt.`,
  resources: (path, code) =>
    `The system has no resources left to start ${path} (${code}). Run fewer at once, or raise the limits on processes and open files.`,
  other: (path, code) => `${path} could not be started (${code}). Check that it is a program this system can run.`,
};

function problemOf(cwd: string | undefined): string | undefined {
  try {
    if (!statSync(cwd || process.cwd()).isDirectory()) return 'is not a directory';
    accessSync(cwd || '.', constants.X_OK);
    return undefined;
  } catch (error) {
    return systemCodeOf(error) === 'EACCES' ? 'cannot be entered' : 'does not exist';
  }
}
