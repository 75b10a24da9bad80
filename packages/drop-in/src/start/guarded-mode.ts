import type { StartRequest } from 'coxswain/transport';
import type { Options } from '../declarations/options.ts';

/**
 * Releases 2.1.285 to 2.1.300 start in the mode `auto`, in which nobody is asked. The official package includes a release that
 * asks, so a program that wants to be asked and chooses no mode gets `default` on these releases. A process of the caller may run
 * on another machine, whose release is not known.
 */
export function wantsToBeAsked(options: Options): boolean {
  const {
    canUseTool,
    permissionPromptToolName,
    hooks,
    permissionMode,
    extraArgs = {},
    spawnClaudeCodeProcess,
  } = options;
  const asks = canUseTool ?? permissionPromptToolName ?? hooks?.PermissionRequest?.length;
  return (
    Boolean(asks) && !permissionMode && !('permission-mode' in extraArgs) && !modeIn(options) && !spawnClaudeCodeProcess
  );
}

/** Adds the mode, if the release would choose `auto`. */
export async function withGuardedMode(request: StartRequest): Promise<StartRequest> {
  const [program = '', script = ''] = request.argv;
  // These releases are executables.
  if (/\.[cm]?[jt]sx?$/.test(`${program} ${script}`)) return request;
  const { inspectCli } = await import('coxswain/cli');
  const { env, cwd } = request;
  const { version } = await inspectCli({ cli: program, env, inheritEnv: false, cwd });
  const [, patch = ''] = /^2\.1\.(\d+)/.exec(version?.kind === 'found' ? version.version : '') ?? [];
  const startsInAuto = Number(patch) >= 285 && Number(patch) <= 300;
  return startsInAuto ? { ...request, argv: [...request.argv, '--permission-mode=default'] } : request;
}

/** The mode in the settings of the options, unless these are a file. */
function modeIn({ settings }: Options): unknown {
  if (typeof settings === 'object') return settings.permissions?.defaultMode;
  try {
    return JSON.parse(settings ?? '{}')?.permissions?.defaultMode;
  } catch {
    return undefined;
  }
}
