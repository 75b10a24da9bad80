import { inspectCli } from 'coxswain/cli';
import { CliNotFoundError } from 'coxswain/errors';
import type { ExitReport, StartRequest, Transport, TransportSignal } from 'coxswain/transport';
import type { JsonObject } from '../json.ts';
import type { CassetteWriter, RunPart } from './cassette-writer.ts';
import { type Content, contentOfBytes, contentOfWrite } from './content.ts';
import { LineSplitter } from './line-splitter.ts';
import { Sanitiser } from './sanitiser.ts';
import { tapped } from './tapped.ts';

/** The resolved options of a recording. */
export interface RecordingTerms {
  /** The CLI to find; undefined if the underlying transport knows what to start. */
  readonly cli: string | undefined;
  readonly secrets: readonly string[];
  readonly scrub: (frame: JsonObject) => JsonObject;
}

/** Longer lines do not belong in a file that people read; a run sets its own, lower limit. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** Records what passes through another transport, without changing it. */
export class RecordingTransport implements Transport {
  readonly output: AsyncIterable<Uint8Array>;
  readonly errorOutput: AsyncIterable<Uint8Array>;
  readonly exited: Promise<ExitReport>;
  readonly #inner: Transport;
  readonly #writer: CassetteWriter;
  readonly #terms: RecordingTerms;
  readonly #splitters = { out: new LineSplitter(MAX_LINE_BYTES), err: new LineSplitter(MAX_LINE_BYTES) };
  readonly #open = new Set<'out' | 'err'>(['out', 'err']);
  #sanitiser: Sanitiser | undefined;
  #part: RunPart | undefined;
  #report: ExitReport | undefined;
  #resolveBegun: (begun: boolean) => void = () => {};
  #resolveExited: (report: ExitReport) => void = () => {};
  #begun = false;
  #inputEnded = false;

  constructor(inner: Transport, writer: CassetteWriter, terms: RecordingTerms) {
    this.#inner = inner;
    this.#writer = writer;
    this.#terms = terms;
    const begun = new Promise<boolean>((resolve) => {
      this.#resolveBegun = resolve;
    });
    this.exited = new Promise((resolve) => {
      this.#resolveExited = resolve;
    });
    this.output = tapped(inner.output, this.#tap('out'), begun);
    this.errorOutput = tapped(inner.errorOutput, this.#tap('err'), begun);
  }

  get pid(): number | undefined {
    return this.#inner.pid;
  }

  async start(request: StartRequest): Promise<void> {
    if (this.#begun) return this.#inner.start(request);
    this.#begun = true;
    try {
      await this.#start(request);
    } catch (error) {
      this.#part?.discard();
      this.#resolveBegun(false);
      const reason = error instanceof Error ? error : new Error(String(error));
      this.#resolveExited({ exitCode: null, signal: null, ended: 'by-itself', error: reason });
      throw error;
    }
    this.#resolveBegun(true);
    void this.#inner.exited.then(
      (report) => this.#onExit(report),
      // An inner transport that breaks its contract.
      (error) => this.#onExit({ exitCode: null, signal: null, ended: 'by-itself', error }),
    );
  }

  write(text: string): Promise<void> {
    this.#quietly(() => this.#wrote(text));
    return this.#inner.write(text);
  }

  endInput(): Promise<void> {
    if (!this.#inputEnded && !this.#report) this.#quietly(() => this.#part?.add({ dir: 'in-end' }));
    this.#inputEnded = true;
    return this.#inner.endInput();
  }

  signal(signal: TransportSignal): void {
    if (!this.#report) this.#quietly(() => this.#part?.add({ dir: 'signal', signal }));
    this.#inner.signal(signal);
  }

  ending(): void {
    this.#inner.ending?.();
  }

  async destroy(): Promise<void> {
    await this.#inner.destroy?.();
    // After destroy() nothing more is read.
    this.#end('out');
    this.#end('err');
  }

  async #start(request: StartRequest): Promise<void> {
    const { cli, secrets } = this.#terms;
    const sanitiser = new Sanitiser(request, secrets);
    const mode = request.argv.includes('--print') ? 'query' : 'session';
    const part = this.#writer.begin({ cliVersion: null, argv: sanitiser.argv(request), mode });
    this.#sanitiser = sanitiser;
    this.#part = part;
    await this.#inner.start(cli === undefined ? request : await located(cli, request, part));
  }

  #tap(dir: 'out' | 'err') {
    return { chunk: (bytes: Uint8Array) => this.#read(dir, bytes), end: () => this.#end(dir) };
  }

  #wrote(text: string): void {
    if (this.#report || !this.#sanitiser) return;
    this.#part?.add({ dir: 'in', ...this.#scrubbed(contentOfWrite(this.#sanitiser.written(text))) });
  }

  #read(dir: 'out' | 'err', chunk: Uint8Array): void {
    try {
      for (const line of this.#splitters[dir].push(chunk)) this.#part?.add({ dir, ...this.#kept(line) });
    } catch (cause) {
      throw this.#part?.fail(cause) ?? cause;
    }
  }

  #end(dir: 'out' | 'err'): void {
    if (!this.#open.delete(dir)) return;
    const rest = this.#splitters[dir].end();
    if (rest) this.#quietly(() => this.#part?.add({ dir, open: true, ...this.#kept(rest) }));
    this.#finishWhenOver();
  }

  #onExit(report: ExitReport): void {
    this.#report = report;
    this.#finishWhenOver();
    this.#resolveExited(report);
  }

  /** The CLI has exited and all its output was read, or the reader stopped reading. */
  #finishWhenOver(): void {
    if (!this.#report || this.#open.size > 0) return;
    const { exitCode, signal, ended } = this.#report;
    this.#quietly(() => {
      this.#part?.add({ dir: 'exit', exitCode, signal, ended });
      this.#part?.keep();
    });
  }

  #kept(line: Uint8Array): Content {
    const content = contentOfBytes(line, (text) => this.#sanitiser?.clean(text) ?? text);
    const version = 'frame' in content ? content.frame.claude_code_version : undefined;
    if (typeof version === 'string' && this.#part?.cliVersion === null) this.#part.learn(version);
    return this.#scrubbed(content);
  }

  #scrubbed(content: Content): Content {
    return 'frame' in content ? { frame: this.#terms.scrub(content.frame) } : content;
  }

  /** For errors that no caller receives; `saved()` throws them. */
  #quietly(write: () => void): void {
    try {
      write();
    } catch (cause) {
      this.#part?.fail(cause);
    }
  }
}

/** The request with the CLI that a run without a transport would have found. @throws CliNotFoundError */
async function located(cli: string, request: StartRequest, part: RunPart): Promise<StartRequest> {
  const { argv, privateFiles, env, cwd } = request;
  const { found, searched, version } = await inspectCli({ cli, env, inheritEnv: false, cwd });
  if (!found) throw new CliNotFoundError(searched);
  if (version?.kind === 'found') part.learn(version.version);
  // The request names the CLI in one word; starting a script takes two.
  const more = found.command.length - 1;
  return {
    ...request,
    argv: [...found.command, ...argv.slice(1)],
    privateFiles: privateFiles.map((file) => ({ ...file, argvIndex: file.argvIndex + more })),
  };
}
