import { type Argv, buildArgv, type GatedFlag } from '../cli/argv.ts';
import { detectVersion, knownVersion } from '../cli/detect-version.ts';
import { type FoundCli, locateCli } from '../cli/locate.ts';
import { judgeVersion, type VersionFinding } from '../cli/policy.ts';
import { compareVersions } from '../cli/version.ts';
import { UnsupportedOptionError } from '../errors/options.ts';
import { childTransport } from '../process/child.ts';
import type { StartRequest, Transport } from '../process/transport.ts';
import type { Warning } from '../warnings/warning.ts';
import type { QueryPlan } from './plan.ts';
import { type VersionWatch, watchVersion } from './version-watch.ts';

/** A run that is ready to start. */
export interface Launch {
  readonly transport: Transport;
  readonly request: StartRequest;
  readonly versionWatch: VersionWatch | undefined;
}

/**
 * Finds the CLI, settles what its version means, and puts the command line together.
 * @throws CliNotFoundError, CliInstallError, UnsupportedCliVersionError, UnknownVersionError, VersionDetectionError, UnsupportedOptionError
 */
export async function prepareLaunch(plan: QueryPlan, onWarning: (warning: Warning) => void): Promise<Launch> {
  const { options, env, prompt } = plan;
  const cwd = options.cwd || undefined;
  const line = buildArgv('query', options, {
    platform: process.platform,
    promptIsText: typeof prompt === 'string',
  });
  if (options.transport) {
    const transport = typeof options.transport === 'function' ? options.transport() : options.transport;
    return { transport, request: request(['claude'], line, env, cwd), versionWatch: undefined };
  }
  const cli = await locateCli(options, { env: process.env, platform: process.platform });
  const transport = childTransport({ spawn: options.spawn, orphanGuard: options.orphanGuard ?? true, onWarning });
  const versionWatch = options.skipVersionCheck
    ? undefined
    : await checkVersion(cli, line.gated, plan, { cwd, onWarning });
  return { transport, request: request(cli.command, line, env, cwd), versionWatch };
}

function request(
  command: readonly string[],
  line: Argv,
  env: StartRequest['env'],
  cwd: string | undefined,
): StartRequest {
  const privateFiles = line.privateFiles.map((file) => ({ ...file, argvIndex: file.argvIndex + command.length }));
  return { argv: [...command, ...line.args], env, cwd, privateFiles };
}

/** A known version is judged at once, and so is one that a flag depends on; otherwise the check runs beside the CLI. */
async function checkVersion(
  cli: FoundCli,
  gated: readonly GatedFlag[],
  { options, limits, env }: QueryPlan,
  run: { cwd: string | undefined; onWarning: (warning: Warning) => void },
): Promise<VersionWatch | undefined> {
  const rules = { mode: 'query', permissive: options.permissiveVersionCheck ?? false, path: cli.path } as const;
  const asking = { env, cwd: run.cwd, timeoutMs: limits.versionTimeoutMs };
  const finding = knownVersion(cli) ?? (gated.length > 0 ? await detectVersion(cli, asking) : undefined);
  if (finding === undefined) return watchVersion(cli, rules, { ...asking, onWarning: run.onWarning });
  const verdict = judgeVersion(finding, rules);
  if (verdict.error) throw verdict.error;
  if (verdict.warning) run.onWarning(verdict.warning);
  refuseMissingFlags(finding, gated);
  return undefined;
}

function refuseMissingFlags(finding: VersionFinding, gated: readonly GatedFlag[]): void {
  if (finding.kind !== 'found') return;
  for (const { option, flag, since } of gated) {
    if (compareVersions(finding.version, since) < 0) {
      throw new UnsupportedOptionError({ option, flag, found: finding.version, required: since });
    }
  }
}
