import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';

/** How a host loses the others: its cable, what it sends without a sign of it, or its interface. */
export const CUTS = ['cable', 'silence', 'interface'] as const;

/** A kind of cut. */
export type Cut = (typeof CUTS)[number];

/** Hosts of this machine, each a network namespace with one link to a bridge. Only root can make them. */
export interface HostNetwork extends AsyncDisposable {
  /** The address of this process for the hosts. */
  readonly address: string;
  /** The command line that runs a program on a host. */
  on(host: number): readonly string[];
  cut(host: number, how: Cut): void;
  restore(host: number, how: Cut): void;
}

/** True if this process can make hosts. */
export function canMakeHosts(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const name = `cox-probe-${process.pid}`;
  if (run(['ip', 'netns', 'add', name]) !== undefined) return false;
  return run(['ip', 'netns', 'del', name]) === undefined;
}

/** Makes hosts. @throws Error if a command fails */
export function makeHosts(count: number): HostNetwork {
  const tag = `cox${randomInt(36 ** 4).toString(36)}`;
  const bridge = `${tag}br`;
  const net = `10.${randomInt(200, 255)}.${randomInt(1, 255)}`;
  const address = `${net}.254`;
  const hosts = Array.from({ length: count }, (_, n) => ({ name: `${tag}-${n}`, link: `${tag}v${n}` }));
  const remove = (): void => {
    for (const { name } of hosts) run(['ip', 'netns', 'del', name]);
    run(['ip', 'link', 'del', bridge]);
  };
  // They outlive this process.
  process.once('exit', remove);
  const hostOf = (n: number): (typeof hosts)[number] => {
    const host = hosts[n];
    if (host === undefined) throw new Error(`There is no host ${n}.`);
    return host;
  };
  try {
    must(['ip', 'link', 'add', bridge, 'type', 'bridge']);
    must(['ip', 'addr', 'add', `${address}/24`, 'dev', bridge]);
    must(['ip', 'link', 'set', bridge, 'up']);
    for (const [n, { name, link }] of hosts.entries()) {
      must(['ip', 'netns', 'add', name]);
      must(['ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name]);
      must(['ip', 'link', 'set', link, 'master', bridge, 'up']);
      must(['ip', '-n', name, 'addr', 'add', `${net}.${n + 1}/24`, 'dev', 'eth0']);
      for (const device of ['lo', 'eth0']) must(['ip', '-n', name, 'link', 'set', device, 'up']);
    }
  } catch (error) {
    process.off('exit', remove);
    remove();
    throw error;
  }
  const set = (host: number, how: Cut, up: boolean): void => {
    const { name, link } = hostOf(host);
    const state = up ? 'up' : 'down';
    if (how === 'cable') must(['ip', 'link', 'set', link, state]);
    else if (how === 'interface') must(['ip', '-n', name, 'link', 'set', 'eth0', state]);
    else must(['bridge', 'link', 'set', 'dev', link, 'state', up ? FORWARDING : DISABLED]);
  };
  return {
    address,
    on: (host) => ['ip', 'netns', 'exec', hostOf(host).name],
    cut: (host, how) => set(host, how, false),
    restore: (host, how) => set(host, how, true),
    async [Symbol.asyncDispose]() {
      process.off('exit', remove);
      remove();
    },
  };
}

/** States of a port of a bridge: a disabled one drops everything, while both ends see a link. */
const FORWARDING = '3';
const DISABLED = '0';

/** @throws Error */
function must(command: readonly string[]): void {
  const problem = run(command);
  if (problem !== undefined) throw new Error(`${command.join(' ')} failed: ${problem}`);
}

/** The reason why a command failed; undefined if it did not. */
function run([program = '', ...args]: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: 10_000 });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}
