import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { examine } from '../cli/candidate.ts';
import type { FoundCli } from '../cli/locate.ts';
import { runProgram } from '../cli/run-program.ts';
import { reasonOf } from '../errors/base.ts';
import { IsolationUnavailableError, SpawnError } from '../errors/start.ts';
import { isolationIn } from '../options/isolate.ts';
import type { AgentOptions, IsolateOptions } from '../options/option-types.ts';
import type { RunPlan } from '../options/plan.ts';
import type { StartRequest } from '../process/transport.ts';

/** The command line of bubblewrap up to the program, for a request whose private files are in `folders`. */
export type Isolation = (request: StartRequest, folders: readonly string[]) => readonly string[];

/** Finds bubblewrap and checks that it works, if the options ask for isolation. @throws IsolationUnavailableError */
export async function prepareIsolation(
  { options, hostCwd }: Pick<RunPlan, 'options' | 'hostCwd'>,
  cli: Pick<FoundCli, 'path' | 'kind' | 'command'>,
): Promise<Isolation | undefined> {
  const isolate = isolationIn(options);
  if (isolate === undefined) return undefined;
  const program = bubblewrapPath(isolate, process.env.PATH);
  await requireWorking(program);
  const { readable = [], writable = [] } = isolate;
  return ({ env, cwd = hostCwd ?? '' }, folders) => {
    const home = env.HOME !== undefined && isAbsolute(env.HOME) ? env.HOME : undefined;
    const config = env.CLAUDE_CONFIG_DIR === undefined ? [] : [resolve(cwd, env.CLAUDE_CONFIG_DIR)];
    const fromCwd = (paths: readonly string[] = []): string[] => paths.map((path) => resolve(cwd, path));
    return [
      program,
      ...NAMESPACES,
      ...(isolate.network === 'none' ? ['--unshare-net'] : []),
      ...SYSTEM,
      ...['--size', String(TEMPORARY_BYTES), '--tmpfs', '/tmp'],
      ...(home === undefined || home === '/' ? [] : ['--size', String(TEMPORARY_BYTES), '--tmpfs', home]),
      ...[...filesOf(cli), ...fromCwd(namedFiles(options)), ...readable].flatMap((path) => bound('--ro-bind', path)),
      ...config.flatMap(linked),
      ...[cwd, ...fromCwd(options.addDirs), ...config, ...writable].flatMap((path) => bound('--bind', path)),
      ...folders.flatMap((path) => bound('--ro-bind', path)),
      ...['--remount-ro', '/', '--chdir', realPathOf(cwd)],
    ];
  };
}

const NAMESPACES = [
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  '--die-with-parent',
];

/** The programs of the system, and the few files below `/etc` that they need. No sockets, no homes, no other temporary files. */
const SYSTEM = [
  ...['--proc', '/proc', '--dev', '/dev'],
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt'].flatMap(tried),
  ...['ssl', 'pki', 'ca-certificates', 'ca-certificates.conf', 'crypto-policies', 'alternatives'].flatMap(belowEtc),
  ...['resolv.conf', 'hosts', 'nsswitch.conf', 'gai.conf', 'host.conf', 'services', 'protocols'].flatMap(belowEtc),
  ...['passwd', 'group', 'localtime', 'timezone', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d'].flatMap(belowEtc),
  ...['bash.bashrc', 'profile', 'profile.d', 'inputrc', 'terminfo', 'gitconfig', 'mime.types'].flatMap(belowEtc),
];

/** The size of each temporary folder, which is in memory. */
const TEMPORARY_BYTES = 512 * 1024 * 1024;

function tried(path: string): string[] {
  return ['--ro-bind-try', path, path];
}

function belowEtc(name: string): string[] {
  return tried(`/etc/${name}`);
}

/** The CLI and its interpreter. Files of a package are read from beside it. */
function filesOf({ path, kind, command }: Pick<FoundCli, 'path' | 'kind' | 'command'>): string[] {
  const [program = path] = command;
  const own = kind === 'native' ? path : dirname(path);
  return program === path || isInSystem(realPathOf(program)) ? [own] : [own, dirname(dirname(realPathOf(program)))];
}

function isInSystem(path: string): boolean {
  return /^\/(usr|bin|opt)\//.test(path);
}

/** The files and folders that options name. */
function namedFiles({ settings, mcpConfigPath, systemPromptFile, plugins = [] }: AgentOptions): string[] {
  const paths = plugins.map((plugin) => (typeof plugin === 'string' ? plugin : plugin.path));
  const files = [typeof settings === 'string' ? settings : undefined, mcpConfigPath, systemPromptFile];
  return [...files.filter((file) => file !== undefined), ...paths];
}

/** Mounts what is at a path there, and at its real path, which programs ask for. @throws SpawnError */
function bound(how: '--bind' | '--ro-bind', path: string): string[] {
  const real = realPathOf(path);
  if (real === '/') throw unmountable(path, 'it is the root of the file system');
  return [...new Set([real, path])].flatMap((target) => [how, real, target]);
}

/** @throws SpawnError */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    throw unmountable(path, reasonOf(cause), cause);
  }
}

function unmountable(path: string, reason: string, cause?: unknown): SpawnError {
  const message = `${path} cannot be given to the isolated CLI: ${reason}. The CLI was not started.`;
  return new SpawnError(message, { reason: 'other', path, cause });
}

/** The folders that a configuration directory has links to. They belong to the user and stay unchanged. */
function linked(folder: string): string[] {
  const links = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
  return links.flatMap(({ name }) => {
    const target = resolve(folder, readlinkSync(join(folder, name)));
    return ['--ro-bind-try', target, target];
  });
}

/** The path of bubblewrap. @throws IsolationUnavailableError */
function bubblewrapPath({ program }: IsolateOptions, path = ''): string {
  if (program !== undefined) return program;
  // A relative entry means the working directory, which may contain untrusted files.
  for (const folder of path.split(delimiter).filter((entry) => isAbsolute(entry))) {
    const found = examine(join(folder, 'bwrap'), process.platform);
    if (typeof found !== 'string') return found.path;
  }
  throw new IsolationUnavailableError('bubblewrap (bwrap) was not found in PATH');
}

/** The programs that have worked. */
const working = new Set<string>();

/** Starts a program in the same namespaces. @throws IsolationUnavailableError */
async function requireWorking(program: string): Promise<void> {
  if (working.has(program)) return;
  const command = [
    program,
    ...NAMESPACES,
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--',
    '/bin/true',
  ];
  const options = { env: {}, cwd: '/', timeoutMs: PROBE_MS };
  const done = await runProgram(command, options, KEPT_BYTES).catch((error: unknown) => {
    throw new IsolationUnavailableError(`${program} ${reasonOf(error)}`);
  });
  if (done.exitCode !== 0) {
    const said = done.stderr.trim() || `exited with ${done.exitCode ?? done.signal}`;
    throw new IsolationUnavailableError(`${program}: ${said}`);
  }
  working.add(program);
}

const PROBE_MS = 10_000;
const KEPT_BYTES = 2_000;
