import { compareVersions } from '@coxswain/shared/version';
import { type Argv, buildArgv } from '../cli/argv.ts';
import { detectVersion, knownVersion } from '../cli/detect-version.ts';
import { rereadsSettings, sessionNeeds } from '../cli/feature-gate.ts';
import { locateCli } from '../cli/locate.ts';
import { warnOfNewerRelease } from '../cli/newer-release.ts';
import { judgeVersion, type RunMode, USUAL_VERSION } from '../cli/version.ts';
import type { RunPlan } from '../options/plan.ts';
import { requiresSandbox } from '../options/sandbox.ts';
import { childTransport } from '../process/child.ts';
import { givenTransport } from '../process/given-transport.ts';
import type { StartRequest, Transport } from '../process/transport.ts';
import type { Warning } from '../warnings/warning.ts';
import type { UserContent } from '../wire/messages.ts';
import { BackgroundVersionCheck } from './background-version-check.ts';
import { prepareIsolation } from './isolation.ts';
import { workingDirectory } from './working-directory.ts';

/** A run that is ready to start. */
export interface Launch {
  readonly transport: Transport;
  readonly request: StartRequest;
  /** The path of the CLI; `claude` if a custom transport chooses it. */
  readonly path: string;
  /** The CLI's version, if it is known before the start. */
  readonly version?: string;
  /** Fields of `initialize` that take the place of arguments. */
  readonly initialize: Argv['initialize'];
  readonly versionCheck?: BackgroundVersionCheck | undefined;
}

/** The input of a launch. */
interface LaunchedPlan extends RunPlan {
  /** The mode of the CLI. */
  readonly mode: RunMode;
  /** True for the caller's sessions, which start even if the version is unknown. */
  readonly toleratesUnknown: boolean;
  readonly prompt?: UserContent;
  /** Environment variables added by the observers of the run. */
  readonly watched: Readonly<Record<string, string>>;
}

/** Maximum unread stdout. Freed buffers are not returned to the system, so a larger value would cost memory. */
const UNREAD_BYTES = 1024 * 1024;

/**
 * Finds the CLI, checks its version and builds the command line.
 * @throws CliNotFoundError, CliInstallError, UnsupportedCliVersionError, UnknownVersionError, VersionDetectionError, UnsupportedOptionError,
 * IsolationUnavailableError, SpawnError
 */
export async function prepareLaunch(plan: LaunchedPlan, onWarning: (warning: Warning) => void): Promise<Launch> {
  const { mode, options, limits } = plan;
  const promptIsText = typeof plan.prompt === 'string';
  const facts = { platform: process.platform, promptIsText };
  if (options.transport) {
    const path = 'claude';
    const line = buildArgv(mode, options, facts);
    const request = requestFor([path], line, plan);
    const versionCheck =
      options.versionCheck === 'off' ? undefined : new BackgroundVersionCheck({ tolerant: true, path }, onWarning);
    return {
      transport: givenTransport(options.transport),
      path,
      request: withSettings(request),
      versionCheck,
      initialize: {},
    };
  }
  const cwd = workingDirectory(plan);
  const { env: variables, platform } = process;
  const cli = await locateCli(options, { env: variables, platform, hostCwd: plan.hostCwd });
  const known = options.versionCheck === 'off' ? undefined : knownVersion(cli);
  const line = buildArgv(mode, options, { ...facts, release: known?.version, resumesCall: plan.resumesCall });
  const { initialize } = line;
  const request = requestFor(cli.command, line, plan);
  const isolate = await prepareIsolation(plan, cli);
  const transport = childTransport({
    spawn: options.spawn,
    isolate,
    orphanGuard: options.orphanGuard ?? true,
    bufferBytes: Math.min(limits.bufferBytes, UNREAD_BYTES),
    onWarning,
  });
  const { path } = cli;
  if (options.versionCheck === 'off')
    return { transport, path, request: withSettings(request, knownVersion(cli)?.version), initialize };

  const needs = [...line.gated, ...(mode === 'session' ? sessionNeeds(options) : [])];
  const tolerant = plan.toleratesUnknown || options.versionCheck === 'warn';
  const rules = { tolerant, path, needs };
  const { env } = request;
  const within = known ? undefined : isolate?.(request, []);
  const asking = { env, cwd, within, timeoutMs: limits.versionTimeoutMs, signal: options.signal };
  // The CLI itself rejects unknown flags, so the start waits for the version only if a recent feature is used, or if a sandbox
  // is required: a CLI that is too old would run commands without it.
  const unusual = needs.some(({ since }) => compareVersions(since, USUAL_VERSION) > 0);
  const finding = known ?? (unusual || requiresSandbox(options) ? await detectVersion(cli, asking) : undefined);
  if (finding === undefined) {
    const versionCheck = new BackgroundVersionCheck(rules, onWarning, { cli, options: asking });
    return { transport, path, request: withSettings(request), versionCheck, initialize };
  }
  const verdict = judgeVersion(finding, rules);
  if (verdict.error) throw verdict.error;
  if (verdict.warning) onWarning(verdict.warning);
  if (finding.kind === 'found') warnOfNewerRelease(finding.version, onWarning);
  const version = finding.kind === 'found' ? finding.version : undefined;
  return {
    transport,
    path,
    request: withSettings(request, version),
    initialize,
    ...(version !== undefined && { version }),
  };
}

function requestFor(command: readonly string[], line: Argv, plan: LaunchedPlan): StartRequest {
  const { environment, watched } = plan;
  const privateFiles = line.privateFiles.map((file) => ({ ...file, argvIndex: file.argvIndex + command.length }));
  return {
    argv: [...command, ...line.args],
    env: environment.variablesWith(watched),
    cwd: workingDirectory(plan),
    privateFiles,
  };
}

/** Keeps the settings file until the CLI has exited, if this release may read it again. Guards are lost with it. */
function withSettings(request: StartRequest, version?: string): StartRequest {
  if (!rereadsSettings(version)) return request;
  const privateFiles = request.privateFiles.map((file) => (file.named ? { ...file, reread: true } : file));
  return { ...request, privateFiles };
}
