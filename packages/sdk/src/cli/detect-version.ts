import { createRedactor } from '../redact.ts';
import { secretsIn } from '../secrets.ts';
import type { FoundCli } from './locate.ts';
import type { VersionFinding } from './policy.ts';
import { runProgram } from './run-program.ts';
import { parseVersion } from './version.ts';
import { cachedVersion, rememberVersion } from './version-cache.ts';

/** How a version is found out. */
export interface DetectOptions {
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly cacheDir?: string | undefined;
}

/** Finds out the version of a CLI: from its npm package, else from the cache, else by asking it. Never rejects. */
export async function detectVersion(cli: FoundCli, options: DetectOptions): Promise<VersionFinding> {
  return knownVersion(cli, options.cacheDir) ?? askVersion(cli, options);
}

/** The version as far as it is known without starting anything. */
export function knownVersion(cli: FoundCli, cacheDir?: string): VersionFinding | undefined {
  if (cli.packageVersion !== undefined) return { kind: 'found', version: cli.packageVersion, source: 'package.json' };
  const version = cachedVersion(cli, cacheDir);
  return version === undefined ? undefined : { kind: 'found', version, source: 'cache' };
}

/** More than any version line, little enough to show. */
const KEEP_BYTES = 4_096;

async function askVersion(cli: FoundCli, options: DetectOptions): Promise<VersionFinding> {
  const { cwd, env, timeoutMs, signal } = options;
  const command = [...cli.command, '--version'];
  const ended = await runProgram(command, { cwd, env, timeoutMs, signal, keepBytes: KEEP_BYTES });
  if (ended.kind !== 'exited') return { kind: 'failed', reason: `--version ${ended.reason}` };
  const clean = createRedactor(secretsIn(env));
  if (ended.exitCode !== 0) {
    const how = ended.signal ? `was ended by ${ended.signal}` : `exited with code ${ended.exitCode}`;
    const said = clean(ended.complaint.trim() || ended.output.trim()).slice(0, 500);
    return { kind: 'failed', reason: `--version ${how}${said && `: ${said}`}` };
  }
  const version = parseVersion(ended.output);
  if (version === undefined) return { kind: 'unparseable', output: clean(ended.output) };
  rememberVersion(cli, version, options.cacheDir);
  return { kind: 'found', version, source: 'probe' };
}
