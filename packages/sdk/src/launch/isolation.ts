import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { workingBubblewrap } from '../cli/bubblewrap.ts';
import { bubblewrapLine, type Mounts } from '../cli/bubblewrap-line.ts';
import { configFolder } from '../cli/folders.ts';
import type { FoundCli } from '../cli/locate.ts';
import { isolationIn } from '../options/isolate.ts';
import type { AgentOptions } from '../options/option-types.ts';
import type { RunPlan } from '../options/plan.ts';
import { sandboxIn } from '../options/sandbox.ts';
import type { StartRequest } from '../process/transport.ts';
import { isWithin, mountsOf, realPathOf, unmountable } from './mounts.ts';
import { linkedConfig, requireSettings } from './private-links.ts';
import { PROXY_VARIABLES, throughProxy } from './proxy-forwarder.ts';

/** The command line of bubblewrap up to the program, for a request whose private files are in `folders`. */
export type Isolation = (request: StartRequest, folders: readonly string[]) => readonly string[];

/** Finds bubblewrap and checks that it works, if the options ask for isolation. @throws IsolationUnavailableError */
export async function prepareIsolation(
  { options, hostCwd, environment }: Pick<RunPlan, 'options' | 'hostCwd' | 'environment'>,
  cli: Pick<FoundCli, 'path' | 'kind' | 'command'>,
): Promise<Isolation | undefined> {
  const isolate = isolationIn(options);
  if (isolate === undefined) return undefined;
  const bubblewrap = await workingBubblewrap(isolate, sandboxIn(options)?.enabled === true);
  const { readable = [], writable = [], network } = isolate;
  const proxy = typeof network === 'object' ? network.proxy : undefined;
  return ({ env, cwd = hostCwd ?? '' }, folders) => {
    const home = env.HOME !== undefined && isAbsolute(env.HOME) ? env.HOME : undefined;
    const fromCwd = (paths: readonly string[] = []): string[] => paths.map((path) => resolve(cwd, path));
    const config = fromCwd(env.CLAUDE_CONFIG_DIR ? [env.CLAUDE_CONFIG_DIR] : []);
    // With a store, the CLI has a private configuration directory with links to the other one.
    const { variables } = environment;
    const linked = env.CLAUDE_CONFIG_DIR === variables.CLAUDE_CONFIG_DIR ? undefined : configFolder(variables);
    const named = fromCwd(variables.CLAUDE_CONFIG_DIR ? [variables.CLAUDE_CONFIG_DIR] : []);
    const files = [...filesOf(cli, home), ...proxyFiles(proxy), ...fromCwd(namedFiles(options))];
    const mounts = mountsOf({
      readable: [...files, ...readable, ...named.filter(existsSync)],
      writable: [cwd, ...fromCwd(options.addDirs), ...config, ...writable],
    });
    requireSettings(named, mounts);
    const isUsers = linked !== undefined && named.length === 0;
    const line = bubblewrapLine({
      bubblewrap,
      isRoot: process.getuid?.() === 0,
      home,
      mounts,
      links: isUsers ? config.flatMap((folder) => linkedConfig(folder, linked)) : [],
      privateFolders: folders.map((path) => ({ path, real: realPathOf(path) })),
      cwd: realPathOf(cwd),
      variables: { ...temporaryFolder(env.TMPDIR, mounts), ...(proxy !== undefined && PROXY_VARIABLES) },
    });
    return proxy === undefined ? line : [...line, ...throughProxy(proxy, process.execPath, 'deno' in process.versions)];
  };
}

/** The temporary folder of the environment, if the CLI does not have it: `/tmp` instead. */
function temporaryFolder(folder: string | undefined, { writable }: Mounts): Record<string, string> {
  const isThere =
    folder === undefined || writable.some(({ path, real }) => [path, real].some((one) => isWithin(folder, one)));
  return isThere ? {} : { TMPDIR: '/tmp' };
}

/** The socket of the proxy, and the runtime of the forwarder to it. @throws SpawnError */
function proxyFiles(socket: string | undefined): string[] {
  if (socket === undefined) return [];
  if (!statSync(socket, { throwIfNoEntry: false })?.isSocket()) throw unmountable(socket, 'it is not a socket');
  return [socket, ...outsideOfSystem(process.execPath)];
}

/** The CLI and its interpreter, without the folders around them, which may be a home. Files of a package are read from beside it. */
function filesOf({ path, kind, command }: Pick<FoundCli, 'path' | 'kind' | 'command'>, home = homedir()): string[] {
  const [program = path] = command;
  const folder = dirname(path);
  const isPackage = kind === 'script' && existsSync(join(folder, 'package.json')) && !isWithin(home, folder);
  const own = isPackage ? folder : path;
  return program === path ? [own] : [own, ...outsideOfSystem(program)];
}

/** The folders of an interpreter, unless it belongs to the system. */
function outsideOfSystem(path: string): string[] {
  const interpreter = realPathOf(path);
  if (/^\/(usr|bin|opt)\//.test(interpreter)) return [];
  const library = join(dirname(dirname(interpreter)), 'lib');
  return [dirname(interpreter), ...(existsSync(library) ? [library] : [])];
}

/** The files and folders that options name. */
function namedFiles({ settings, mcpConfigPath, systemPromptFile, plugins = [] }: AgentOptions): string[] {
  const paths = plugins.map((plugin) => (typeof plugin === 'string' ? plugin : plugin.path));
  const files = [typeof settings === 'string' ? settings : undefined, mcpConfigPath, systemPromptFile];
  return [...files.filter((file) => file !== undefined), ...paths];
}
