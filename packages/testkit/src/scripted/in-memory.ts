import type { ExitReport, StartRequest, Transport, TransportSignal } from 'coxswain';
import { Interpreter } from './interpreter/interpreter.ts';
import { MemoryPipe } from './memory-pipe.ts';
import { randomUuid } from './random-uuid.ts';
import type { LogLine } from './run-log.ts';
import { runOf, type ScriptedRun } from './runs.ts';
import type { Script } from './script.ts';
import { Shell, type Surroundings } from './shell.ts';

/** A scripted agent without a process: `transport` goes into the option of that name, as often as it is wanted. */
export interface InMemoryCli {
  readonly transport: () => Transport;
  /** What the runs so far were started with and what they were told, oldest first. */
  runs(): readonly ScriptedRun[];
}

/** Plays a script in the memory of the test. Nothing is spawned, so signals and pipes are only played, too. */
export function inMemoryCli(script: Script): InMemoryCli {
  const logs: LogLine[][] = [];
  return {
    transport: () => {
      const log: LogLine[] = [];
      logs.push(log);
      return new InMemoryTransport(script, log);
    },
    runs: () => logs.map(runOf),
  };
}

class InMemoryTransport implements Transport {
  readonly output: MemoryPipe = new MemoryPipe();
  readonly errorOutput: MemoryPipe = new MemoryPipe();
  readonly exited: Promise<ExitReport>;
  readonly pid: undefined;
  readonly #script: Script;
  readonly #log: LogLine[];
  readonly #resolveExit: (report: ExitReport) => void;
  #shell: Shell | undefined;
  #ended: ExitReport['ended'] = 'by-itself';
  /** A process would keep the host alive; here something else must, or a silent script ends the test. */
  #hold: NodeJS.Timeout | undefined;

  constructor(script: Script, log: LogLine[]) {
    this.#script = script;
    this.#log = log;
    let resolve: (report: ExitReport) => void = () => {};
    this.exited = new Promise((resolveExit) => {
      resolve = resolveExit;
    });
    this.#resolveExit = resolve;
  }

  async start(request: StartRequest): Promise<void> {
    const argv = request.argv.slice(
      Math.max(
        0,
        request.argv.findIndex((token) => token.startsWith('-')),
      ),
    );
    const { env } = request;
    const cwd = request.cwd ?? '/scripted';
    this.#log.push({ kind: 'start', start: { argv, cwd, pid: 0, envNames: Object.keys(env), env } });
    const world = { argv, env, cwd, pid: 0, now: Date.now, newId: randomUuid };
    this.#shell = new Shell(new Interpreter(this.#script.toJSON(), world), this.#surroundings());
    this.#hold = setInterval(() => {}, 2 ** 30);
    this.#shell.feed({ event: 'start' });
  }

  async write(text: string): Promise<void> {
    this.#shell?.feed({ event: 'input', text });
  }

  async endInput(): Promise<void> {
    this.#shell?.feed({ event: 'input-end' });
  }

  signal(signal: TransportSignal): void {
    if (signal === 'kill') {
      this.#ended = 'killed';
      this.#shell?.stop();
      this.#exit(null, 'SIGKILL');
      return;
    }
    this.#ended = signal === 'interrupt' ? 'interrupted' : 'terminated';
    this.#shell?.signal(signal === 'interrupt' ? 'SIGINT' : 'SIGTERM');
  }

  unref(): void {
    this.#hold?.unref();
  }

  #surroundings(): Surroundings {
    const { output, errorOutput } = this;
    return {
      get stdoutClosed() {
        return output.closed;
      },
      write: (data) => output.write(data),
      stderr: (text) => void errorOutput.write(text),
      flushed: async () => {},
      closeStdout: () => output.end(),
      holdPipe: async () => {},
      record: (entry) => void this.#log.push(entry),
      exit: (code) => this.#exit(code, null),
      crash: (signal) => this.#exit(null, signal),
    };
  }

  #exit(exitCode: number | null, signal: string | null): void {
    clearInterval(this.#hold);
    this.#log.push({ kind: 'exit', code: exitCode, signal });
    this.output.end();
    this.errorOutput.end();
    this.#resolveExit({ exitCode, signal, ended: this.#ended });
  }
}
