import { findInstalledCli, knownVersion } from 'coxswain/raw';
import type { Options } from '../declarations/options.ts';
import type { Command } from './command.ts';
import type { Preparation } from './prepared.ts';

/** Ensures on every release that a program with permission callbacks is asked. */
export interface Guard {
  /** The flags that the release needs, if it is known. */
  readonly mode?: readonly string[];
  /** The step that determines the release, and adds the flags. */
  readonly guard?: Preparation;
}

/**
 * Releases 2.1.285 to 2.1.300 start in the mode `auto`, in which no permission is requested. The official package includes a
 * release that asks, so a program that wants to be asked and chooses no mode gets `default` on these releases.
 */
export function guardOf(options: Options, { argv, isScript }: Command): Guard {
  // These releases are executables.
  if (isScript || !wantsToBeAsked(options)) return {};
  const version = argv?.[0] === undefined ? undefined : versionOf(argv[0]);
  return version === undefined ? { guard: withGuardedMode } : { mode: modeFor(version) };
}

/** A process of the caller may run on another machine, whose release is not known. */
function wantsToBeAsked(options: Options): boolean {
  const { canUseTool, permissionPromptToolName, hooks, permissionMode, extraArgs, spawnClaudeCodeProcess } = options;
  const asks = canUseTool ?? permissionPromptToolName ?? hooks?.PermissionRequest?.length;
  const chosen = permissionMode || 'permission-mode' in (extraArgs ?? {}) || modeIn(options);
  return Boolean(asks) && !chosen && !spawnClaudeCodeProcess;
}

/** The version, if it is known without running the program. */
function versionOf(program: string): string | undefined {
  try {
    return knownVersion(findInstalledCli({ cli: program }))?.version;
  } catch {
    // The start reports the problem.
    return undefined;
  }
}

const withGuardedMode: Preparation = async (request) => {
  const { inspectCli } = await import('coxswain/cli');
  const { argv, env, cwd } = request;
  const { version } = await inspectCli({ cli: argv[0], env, inheritEnv: false, cwd });
  const mode = version?.kind === 'found' ? modeFor(version.version) : [];
  return { ...request, argv: [...argv, ...mode] };
};

function modeFor(version: string): readonly string[] {
  const patch = Number(/^2\.1\.(\d+)/.exec(version)?.[1]);
  return patch >= 285 && patch <= 300 ? ['--permission-mode=default'] : [];
}

/** The mode in the settings of the options, unless these are a file. */
function modeIn({ settings }: Options): unknown {
  if (typeof settings === 'object') return settings?.permissions?.defaultMode;
  try {
    return JSON.parse(settings ?? '{}')?.permissions?.defaultMode;
  } catch {
    return undefined;
  }
}
