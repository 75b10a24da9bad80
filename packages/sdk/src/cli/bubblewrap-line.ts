import type { IsolateOptions } from '../options/option-types.ts';

/** A file or folder of the machine. */
export interface Mount {
  /** The path that the options name. */
  readonly path: string;
  /** Where it is, without links. */
  readonly real: string;
}

/** What an isolated CLI gets of the file system. */
export interface Mounts {
  readonly readable: readonly Mount[];
  readonly writable: readonly Mount[];
  /** Other paths of what is below the writable folders. */
  readonly aliases: readonly Mount[];
}

/** A bubblewrap, and the arguments for namespaces with which it works here. */
export interface Bubblewrap {
  readonly program: string;
  readonly namespaces: readonly string[];
}

/** What an isolated CLI sees. */
export interface Cell {
  readonly bubblewrap: Bubblewrap;
  readonly isRoot: boolean;
  readonly home: string | undefined;
  readonly mounts: Mounts;
  /** Folders of the user's configuration that links in the private configuration directory lead to. */
  readonly links: readonly string[];
  /** Folders with the private files of the run. */
  readonly privateFolders: readonly Mount[];
  readonly cwd: string;
  /** Variables that differ from those of the request. */
  readonly variables: Readonly<Record<string, string>>;
}

/** The command line of bubblewrap up to the program. Later mounts cover earlier ones. */
export function bubblewrapLine(cell: Cell): readonly string[] {
  const { bubblewrap, isRoot, home, mounts, links, privateFolders, cwd, variables } = cell;
  return [
    bubblewrap.program,
    ...bubblewrap.namespaces,
    ...SYSTEM,
    ...(isRoot ? KERNEL_OF_ROOT : []),
    ...temporary('/dev/shm'),
    ...['--remount-ro', '/dev'],
    ...temporary('/tmp'),
    ...(home === undefined || home === '/' ? [] : temporary(home)),
    ...mounts.readable.flatMap((mount) => bound('--ro-bind', mount)),
    ...links.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...mounts.writable.flatMap((mount) => bound('--bind', mount)),
    ...mounts.aliases.flatMap(({ real, path }) => ['--symlink', real, path]),
    ...privateFolders.flatMap((mount) => bound('--ro-bind', mount)),
    ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--remount-ro', '/', '--chdir', cwd, '--'],
  ];
}

/** A command line that starts a program in the namespaces of the CLI, with the files of the machine. */
export function probeLine({ program, namespaces }: Bubblewrap): readonly string[] {
  const files = ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev'];
  return [program, ...namespaces, ...files, '--', '/bin/true'];
}

/**
 * The namespaces of the CLI, the strictest first. In a user namespace of its own, a tool has the capabilities for the parts of the kernel
 * with most of its faults; the CLI's sandbox needs one (`nests`), and bubblewrap before 0.8 cannot forbid it.
 */
export function namespacesFor({ network = 'host' }: IsolateOptions, nests: boolean): readonly (readonly string[])[] {
  const all = [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(network === 'host' ? [] : ['--unshare-net']),
    // Otherwise bubblewrap keeps the capabilities of root, which can make read-only mounts writable.
    ...['--die-with-parent', '--cap-drop', 'ALL'],
  ];
  return nests ? [all] : [[...all, '--disable-userns'], all];
}

/** The programs of the system, and the few files below `/etc` that they need. No sockets, no homes, no other temporary files. */
const SYSTEM = [
  ...['--proc', '/proc', '--dev', '/dev'],
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt'].flatMap(tried),
  ...['ssl', 'pki', 'ca-certificates', 'ca-certificates.conf', 'crypto-policies', 'alternatives'].flatMap(belowEtc),
  ...['resolv.conf', 'hosts', 'nsswitch.conf', 'gai.conf', 'host.conf', 'services', 'protocols'].flatMap(belowEtc),
  ...['passwd', 'group', 'localtime', 'timezone', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d'].flatMap(belowEtc),
  ...['bash.bashrc', 'profile', 'profile.d', 'inputrc', 'terminfo', 'gitconfig', 'mime.types'].flatMap(belowEtc),
];

/** Owned by root, which may change them without a capability: what the kernel does for the whole machine. */
const KERNEL_OF_ROOT = ['--ro-bind', '/proc/sys', '/proc/sys'];

/** The size of each temporary folder, which is in memory. */
const TEMPORARY_BYTES = 512 * 1024 * 1024;

function temporary(folder: string): string[] {
  return ['--size', String(TEMPORARY_BYTES), '--tmpfs', folder];
}

/** Mounts a file or folder at its real path, which programs ask for, and at its given one. */
function bound(how: '--bind' | '--ro-bind', { path, real }: Mount): string[] {
  return [...new Set([real, path])].flatMap((target) => [how, real, target]);
}

function tried(path: string): string[] {
  return ['--ro-bind-try', path, path];
}

function belowEtc(name: string): string[] {
  return tried(`/etc/${name}`);
}
