import { isAbsolute, resolve } from 'node:path';
import { SpawnError } from '../errors/start.ts';
import type { RunPlan } from '../options/plan.ts';

/**
 * The working directory of the CLI, resolved against the host's directory when the run was created: the host may have changed
 * it since. A custom transport gets the caller's value unchanged, and so does a `spawn` without a `cwd`, because these may run
 * the CLI elsewhere.
 * @throws SpawnError if the path depends on the host's directory, which no longer exists
 */
export function workingDirectory({ options, hostCwd }: Pick<RunPlan, 'options' | 'hostCwd'>): string | undefined {
  const { cwd = '', transport, spawn } = options;
  if (transport || isAbsolute(cwd) || (cwd === '' && spawn)) return cwd || undefined;
  if (hostCwd !== undefined) return resolve(hostCwd, cwd);
  const message =
    'The working directory of this process no longer exists, so the CLI was not started. Pass an absolute path as cwd, or change to a directory that exists.';
  throw new SpawnError(message, { reason: 'cwd', path: '' });
}
