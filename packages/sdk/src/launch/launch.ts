import { type Argv, buildArgv } from '../cli/argv.ts';
import { detectVersion, knownVersion } from '../cli/detect-version.ts';
import { sessionNeeds, type VersionNeed } from '../cli/feature-gate.ts';
import { type FoundCli, locateCli } from '../cli/locate.ts';
import {
  compareVersions,
  judgeVersion,
  minimumFor,
  type RunMode,
  USUAL_VERSION,
  type VersionFinding,
} from '../cli/version.ts';
import { childTransport } from '../process/child.ts';
import type { StartRequest, Transport } from '../process/transport.ts';
import type { Warning } from '../warnings/warning.ts';
import type { UserContent } from '../wire/messages.ts';
import { type BackgroundVersionCheck, checkVersionInBackground } from './background-version-check.ts';
import type { RunPlan } from './plan.ts';

/** The kind of run to start. */
export interface LaunchKind {
  /** How the CLI is run. */
  readonly mode: RunMode;
  /** True for the caller's sessions: an unknown version does not stop them. */
  readonly toleratesUnknown: boolean;
}

/** A query without callbacks. */
export const ONE_SHOT: LaunchKind = { mode: 'query', toleratesUnknown: false };

/** A run that is ready to start. */
export interface Launch {
  /** The CLI's version, if it is known before the start. */
  readonly version: string | undefined;
  readonly transport: Transport;
  readonly request: StartRequest;
  readonly versionCheck: BackgroundVersionCheck | undefined;
}

/** The most unread stdout to hold. Freed buffers are not returned to the system, so more would cost a slow reader memory. */
const UNREAD_BYTES = 1024 * 1024;

/**
 * Finds the CLI, checks its version and builds the command line.
 * @throws CliNotFoundError, CliInstallError, UnsupportedCliVersionError, UnknownVersionError, VersionDetectionError, UnsupportedOptionError
 */
export async function prepareLaunch(
  kind: LaunchKind,
  plan: RunPlan & { readonly prompt?: UserContent },
  onWarning: (warning: Warning) => void,
): Promise<Launch> {
  const { mode } = kind;
  const { options, environment, prompt } = plan;
  const cwd = options.cwd || undefined;
  const lineFor = (version?: string): Argv =>
    buildArgv(mode, options, { platform: process.platform, promptIsText: typeof prompt === 'string', version });
  let line = lineFor();
  if (options.transport) {
    const transport = typeof options.transport === 'function' ? options.transport() : options.transport;
    const command = request(['claude'], line, environment.variables, cwd);
    return { transport, request: command, version: undefined, versionCheck: undefined };
  }
  const cli = await locateCli(options, { env: process.env, platform: process.platform });
  const transport = childTransport({
    spawn: options.spawn,
    orphanGuard: options.orphanGuard ?? true,
    bufferBytes: Math.min(plan.limits.bufferBytes, UNREAD_BYTES),
    onWarning,
  });
  const known = options.skipVersionCheck ? undefined : knownVersion(cli);
  if (known?.kind === 'found') line = lineFor(known.version);
  const checked = options.skipVersionCheck ? {} : await checkVersion(kind, cli, line, plan, { known, cwd, onWarning });
  return {
    transport,
    request: request(cli.command, line, environment.variables, cwd),
    version: checked.version,
    versionCheck: checked.background,
  };
}

/** The features of this run that not every supported release has. */
function needsOf(mode: RunMode, line: Argv, options: RunPlan['options']): readonly VersionNeed[] {
  const used = [...line.gated, ...(mode === 'session' ? sessionNeeds(options) : [])];
  return used.filter(({ since }) => compareVersions(since, minimumFor(mode)) > 0);
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

/**
 * Checks a known version now, and determines it now when a recent feature is used. Otherwise the check runs in the
 * background: the CLI rejects an unknown flag anyway.
 */
async function checkVersion(
  { mode, toleratesUnknown }: LaunchKind,
  cli: FoundCli,
  line: Argv,
  { options, limits, environment }: RunPlan,
  run: { known: VersionFinding | undefined; cwd: string | undefined; onWarning: (warning: Warning) => void },
): Promise<{ version?: string; background?: BackgroundVersionCheck }> {
  const tolerant = toleratesUnknown || options.permissiveVersionCheck === true;
  const needs = needsOf(mode, line, options);
  const rules = { mode, tolerant, path: cli.path, needs };
  const asking = {
    env: environment.variables,
    cwd: run.cwd,
    timeoutMs: limits.versionTimeoutMs,
    signal: options.signal,
  };
  const unusual = needs.some(({ since }) => compareVersions(since, USUAL_VERSION) > 0);
  const finding = run.known ?? (unusual ? await detectVersion(cli, asking) : undefined);
  if (finding === undefined) {
    return { background: checkVersionInBackground(cli, rules, { ...asking, onWarning: run.onWarning }) };
  }
  const verdict = judgeVersion(finding, rules);
  if (verdict.error) throw verdict.error;
  if (verdict.warning) run.onWarning(verdict.warning);
  return finding.kind === 'found' ? { version: finding.version } : {};
}
