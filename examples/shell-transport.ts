import { randomUUID } from 'node:crypto';
import {
  childTransport,
  type ExitReport,
  type PrivateFile,
  type StartRequest,
  type Transport,
  type TransportSignal,
} from 'coxswain/transport';

// #region shell
/** Wraps a command so that it runs on the target machine: `ssh`, `docker exec`, or the local shell. */
export type Shell = (command: string) => readonly string[];

export const localShell: Shell = (command) => ['/bin/sh', '-c', command];
export const overSsh =
  (host: string): Shell =>
  (command) => ['ssh', '-T', host, command];
export const inContainer =
  (name: string): Shell =>
  (command) => ['docker', 'exec', '-i', name, '/bin/sh', '-c', command];
// #endregion

/** Runs the CLI through a shell, local or remote. */
// #region transport
export class ShellTransport implements Transport {
  readonly #child: Transport = childTransport({ orphanGuard: true });
  readonly #shell: Shell;
  readonly #cli: string;

  /** `cli` is the program's name or path on that machine. */
  constructor(shell: Shell, cli = 'claude') {
    this.#shell = shell;
    this.#cli = cli;
  }

  async start(request: StartRequest): Promise<void> {
    const folder = `/tmp/coxswain-${randomUUID()}`;
    const script = startScript({ ...request, argv: [this.#cli, ...request.argv.slice(1)] }, folder);
    // Variables and files go over stdin: every user of either machine can read a command line.
    await run(this.#child, this.#shell(`eval "$(dd bs=1 count=${Buffer.byteLength(script)} 2>/dev/null)"`));
    await this.#child.write(script);
    if (request.privateFiles.length > 0) {
      const remove = (): Promise<void> => run(childTransport({ orphanGuard: false }), this.#shell(`rm -rf ${folder}`));
      void this.#child.exited.then(remove).catch(() => {});
    }
  }

  get output(): AsyncIterable<Uint8Array> {
    return this.#child.output;
  }

  get errorOutput(): AsyncIterable<Uint8Array> {
    return this.#child.errorOutput;
  }

  get exited(): Promise<ExitReport> {
    return this.#child.exited;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  write(text: string): Promise<void> {
    return this.#child.write(text);
  }

  endInput(): Promise<void> {
    return this.#child.endInput();
  }

  signal(signal: TransportSignal): void {
    this.#child.signal(signal);
  }

  unref(): void {
    this.#child.unref?.();
  }

  async destroy(): Promise<void> {
    await this.#child.destroy?.();
  }
}
// #endregion

function run(transport: Transport, argv: readonly string[]): Promise<void> {
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };
  return transport.start({ argv, env, cwd: undefined, privateFiles: [] });
}

// #region script
/** The script for the remote shell: writes files, changes directory, sets variables, then execs the CLI. */
function startScript({ argv, env, cwd, privateFiles }: StartRequest, folder: string): string {
  const path = (file: PrivateFile): string => `${folder}/${file.name}`;
  const words = argv.map((word, index) => {
    const file = privateFiles.find(({ argvIndex }) => argvIndex === index);
    return quoted(file ? path(file) : word);
  });
  return [
    ...(privateFiles.length > 0 ? [`(umask 077; mkdir ${folder}) || exit 1`] : []),
    ...privateFiles.map((file) => `printf %s ${quoted(file.content)} > ${quoted(path(file))}`),
    ...(cwd ? [`cd ${quoted(cwd)} || exit 1`] : []),
    ...Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}`),
    `exec ${words.join(' ')}`,
    '',
  ].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
// #endregion
