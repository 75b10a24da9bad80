import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { examine } from '../cli/candidate.ts';
import { configFolder } from '../cli/folders.ts';
import type { FoundCli } from '../cli/locate.ts';
import { runProgram } from '../cli/run-program.ts';
import { reasonOf } from '../errors/base.ts';
import { IsolationUnavailableError } from '../errors/start.ts';
import { isolationIn } from '../options/isolate.ts';
import type { AgentOptions, IsolateOptions } from '../options/option-types.ts';
import type { RunPlan } from '../options/plan.ts';
import type { StartRequest } from '../process/transport.ts';
import { bound, isWithin, mountsOf, realPathOf } from './mounts.ts';
import { linkedConfig, requireSettings } from './private-links.ts';

/** The command line of bubblewrap up to the program, for a request whose private files are in `folders`. */
export type Isolation = (request: StartRequest, folders: readonly string[]) => readonly string[];

/** Finds bubblewrap and checks that it works, if the options ask for isolation. @throws IsolationUnavailableError */
export async function prepareIsolation(
  { options, hostCwd, environment }: Pick<RunPlan, 'options' | 'hostCwd' | 'environment'>,
  cli: Pick<FoundCli, 'path' | 'kind' | 'command'>,
): Promise<Isolation | undefined> {
  const isolate = isolationIn(options);
  if (isolate === undefined) return undefined;
  const program = bubblewrapPath(isolate, process.env.PATH);
  await requireWorking(program);
  const { readable = [], writable = [] } = isolate;
  return ({ env, cwd = hostCwd ?? '' }, folders) => {
    const home = env.HOME !== undefined && isAbsolute(env.HOME) ? env.HOME : undefined;
    const fromCwd = (paths: readonly string[] = []): string[] => paths.map((path) => resolve(cwd, path));
    const config = fromCwd(env.CLAUDE_CONFIG_DIR ? [env.CLAUDE_CONFIG_DIR] : []);
    // With a store, the CLI has a private configuration directory with links to the other one.
    const { variables } = environment;
    const linked = env.CLAUDE_CONFIG_DIR === variables.CLAUDE_CONFIG_DIR ? undefined : configFolder(variables);
    const named = fromCwd(variables.CLAUDE_CONFIG_DIR ? [variables.CLAUDE_CONFIG_DIR] : []);
    const mounts = mountsOf({
      readable: [...filesOf(cli, home), ...fromCwd(namedFiles(options)), ...readable, ...named.filter(existsSync)],
      writable: [cwd, ...fromCwd(options.addDirs), ...config, ...writable],
    });
    requireSettings(named, mounts);
    const isUsers = linked !== undefined && named.length === 0;
    const links = isUsers ? config.flatMap((folder) => linkedConfig(folder, linked)) : [];
    return [
      program,
      ...NAMESPACES,
      ...(isolate.network === 'none' ? ['--unshare-net'] : []),
      ...SYSTEM,
      ...(process.getuid?.() === 0 ? KERNEL_OF_ROOT : []),
      ...['--size', String(TEMPORARY_BYTES), '--tmpfs', '/tmp'],
      ...(home === undefined || home === '/' ? [] : ['--size', String(TEMPORARY_BYTES), '--tmpfs', home]),
      ...mounts.readable.flatMap((mount) => bound('--ro-bind', mount)),
      ...links.flatMap((folder) => ['--ro-bind', folder, folder]),
      ...mounts.writable.flatMap((mount) => bound('--bind', mount)),
      ...mounts.aliases.flatMap(({ real, path }) => ['--symlink', real, path]),
      ...folders.flatMap((path) => bound('--ro-bind', { real: realPathOf(path), path })),
      ...['--remount-ro', '/', '--chdir', realPathOf(cwd)],
    ];
  };
}

/** Without `--cap-drop`, bubblewrap keeps the capabilities of root, which can make read-only mounts writable. */
const NAMESPACES = [
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  ...['--die-with-parent', '--cap-drop', 'ALL'],
];

/** Owned by root, which may change them without a capability: what the kernel does for the whole machine. */
const KERNEL_OF_ROOT = ['--ro-bind', '/proc/sys', '/proc/sys'];

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

/** The CLI and its interpreter, without the folders around them, which may be a home. Files of a package are read from beside it. */
function filesOf({ path, kind, command }: Pick<FoundCli, 'path' | 'kind' | 'command'>, home = homedir()): string[] {
  const [program = path] = command;
  const folder = dirname(path);
  const isPackage = kind === 'script' && existsSync(join(folder, 'package.json')) && !isWithin(home, folder);
  const own = isPackage ? folder : path;
  const interpreter = realPathOf(program);
  if (program === path || isInSystem(interpreter)) return [own];
  const library = join(dirname(dirname(interpreter)), 'lib');
  return [own, dirname(interpreter), ...(existsSync(library) ? [library] : [])];
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
