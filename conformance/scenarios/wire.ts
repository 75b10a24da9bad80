import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '@coxswain/testkit';
import type { ExitReport, PrivateFile, StartRequest, Transport, TransportSignal } from 'coxswain/transport';

/** A background process may keep the pipe open for longer. */
const LAST_WORDS_MS = 1_000;

/** Everything that one run sent and received. */
export interface WireTap {
  /** Every line of stdout, parsed. */
  readonly frames: JsonObject[];
  exit: ExitReport | undefined;
}

/** Forwards a transport's output and keeps its lines. */
export function tapped(transport: Transport, tap: WireTap): Transport {
  let read = (): void => {};
  const allRead = new Promise<void>((resolve) => {
    read = resolve;
  });
  // On a busy machine an exit may be reported before the last output.
  void transport.exited.then(async (report) => {
    await Promise.race([allRead, sleep(LAST_WORDS_MS)]);
    tap.exit = report;
  });
  return {
    start: (request) => transport.start(request),
    output: teed(transport.output, tap, read),
    errorOutput: transport.errorOutput,
    write: (text) => transport.write(text),
    endInput: () => transport.endInput(),
    signal: (signal) => transport.signal(signal),
    exited: transport.exited,
    get pid() {
      return transport.pid;
    },
  };
}

/** Runs this executable directly, whichever one the SDK would find. */
export class PlainChild implements Transport {
  readonly exited: Promise<ExitReport>;
  readonly #executable: string;
  #child: ChildProcessWithoutNullStreams | undefined;
  #started: (child: ChildProcessWithoutNullStreams) => void = () => {};
  #exited: (report: ExitReport) => void = () => {};
  readonly #running: Promise<ChildProcessWithoutNullStreams>;

  constructor(executable: string) {
    this.#executable = executable;
    this.exited = new Promise((resolve) => {
      this.#exited = resolve;
    });
    this.#running = new Promise((resolve) => {
      this.#started = resolve;
    });
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get output(): AsyncIterable<Uint8Array> {
    return this.#read((child) => child.stdout);
  }

  get errorOutput(): AsyncIterable<Uint8Array> {
    return this.#read((child) => child.stderr);
  }

  async start({ argv, env, cwd, privateFiles }: StartRequest): Promise<void> {
    const words = await this.#withFiles(argv, privateFiles);
    const flags = words.slice(words.findIndex((token) => token.startsWith('-')));
    const child = spawn(this.#executable, flags, { env, cwd, stdio: 'pipe' });
    child.on('error', (error) => this.#exited({ exitCode: null, signal: null, ended: 'by-itself', error }));
    child.on('exit', (exitCode, signal) => this.#exited({ exitCode, signal, ended: 'by-itself' }));
    child.stdin.on('error', () => {});
    this.#child = child;
    this.#started(child);
  }

  async write(text: string): Promise<void> {
    this.#child?.stdin.write(text);
  }

  async endInput(): Promise<void> {
    this.#child?.stdin.end();
  }

  signal(signal: TransportSignal): void {
    this.#child?.kill(({ interrupt: 'SIGINT', terminate: 'SIGTERM', kill: 'SIGKILL' } as const)[signal]);
  }

  async #withFiles(argv: readonly string[], files: readonly PrivateFile[]): Promise<readonly string[]> {
    if (files.length === 0) return argv;
    const folder = await mkdtemp(join(tmpdir(), 'cox-files-'));
    void this.exited.then(() => rm(folder, { recursive: true, force: true }));
    const paths = new Map(files.map(({ argvIndex, name }) => [argvIndex, join(folder, name)]));
    for (const { name, content } of files) await writeFile(join(folder, name), content, { mode: 0o600 });
    return argv.map((token, index) => paths.get(index) ?? token);
  }

  async *#read(pipe: (child: ChildProcessWithoutNullStreams) => AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    yield* pipe(await this.#running);
  }
}

async function* teed(output: AsyncIterable<Uint8Array>, tap: WireTap, onEnd: () => void): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of output) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      tap.frames.push(...lines.filter((line) => line !== '').map((line) => JSON.parse(line)));
      yield chunk;
    }
  } finally {
    onEnd();
  }
}
