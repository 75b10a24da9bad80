import { SpawnError, TransportError } from 'coxswain/errors';
import type { ExitReport, StartRequest, Transport, TransportSignal } from 'coxswain/transport';
import type { SessionMemory } from './interpreter/effects.ts';
import { Interpreter } from './interpreter/interpreter.ts';
import { MemoryPipe } from './memory-pipe.ts';
import { randomUuid } from './random-uuid.ts';
import type { LogLine } from './run-log.ts';
import { runOf, type ScriptedRun } from './runs.ts';
import { checkScript, type Script } from './script.ts';
import { sessionsInMemory } from './session-memory.ts';
import { settingsGiven } from './settings-flag.ts';
import { Shell, type Surroundings } from './shell.ts';
import { withTranscripts } from './transcripts-on-disk.ts';

/** A scripted agent without a process: pass its `transport` as the option of that name, for as many runs as needed. */
export interface InMemoryCli {
  readonly transport: () => Transport;
  /** What each run so far was started with and what it received, oldest first. */
  runs(): readonly ScriptedRun[];
}

/** Plays a script inside the test process. Nothing is spawned, so signals and pipes are simulated. */
export function inMemoryCli(script: Script): InMemoryCli {
  checkScript('inMemoryCli(script)', script);
  const logs: LogLine[][] = [];
  const sessions = sessionsInMemory();
  return {
    transport: () => {
      const log: LogLine[] = [];
      logs.push(log);
      return new InMemoryTransport(script, { log, run: logs.length, sessions });
    },
    runs: () => logs.map(runOf),
  };
}

/** What a run shares with the others of its agent. */
interface Run {
  readonly log: LogLine[];
  readonly run: number;
  readonly sessions: SessionMemory;
}

class InMemoryTransport implements Transport {
  readonly output: MemoryPipe = new MemoryPipe();
  readonly errorOutput: MemoryPipe = new MemoryPipe();
  readonly exited: Promise<ExitReport>;
  readonly pid: undefined;
  readonly #script: Script;
  readonly #run: Run;
  readonly #resolveExit: (report: ExitReport) => void;
  #shell: Shell | undefined;
  #state: 'new' | 'running' | 'exited' = 'new';
  #ended: ExitReport['ended'] = 'by-itself';
  #inputEnded = false;
  #input: 'read' | 'unread' | 'closed' = 'read';
  /** How long another process keeps the pipes open after the exit. */
  #heldMs = 0;
  /** A real process would keep the host alive; without this hold, a silent script would end the test process. */
  #hold: NodeJS.Timeout | undefined;

  constructor(script: Script, run: Run) {
    this.#script = script;
    this.#run = run;
    let resolve: (report: ExitReport) => void = () => {};
    this.exited = new Promise((resolveExit) => {
      resolve = resolveExit;
    });
    this.#resolveExit = resolve;
  }

  async start(request: StartRequest): Promise<void> {
    if (this.#state !== 'new') {
      const path = request.argv[0] ?? '';
      throw new SpawnError('A transport plays one run. Create a new one for each run.', { reason: 'other', path });
    }
    this.#state = 'running';
    const argv = request.argv.slice(
      Math.max(
        0,
        request.argv.findIndex((token) => token.startsWith('-')),
      ),
    );
    const { env } = request;
    const cwd = request.cwd ?? '/scripted';
    this.#run.log.push({ kind: 'start', start: { argv, cwd, pid: 0, envNames: Object.keys(env), env } });
    const { run } = this.#run;
    const sessions = withTranscripts(this.#run.sessions, env);
    const settings = settingsGiven(argv, settingsFile(request));
    const world = { argv, env, cwd, settings, pid: 0, run, sessions, now: Date.now, newId: randomUuid };
    this.#shell = new Shell(new Interpreter(this.#script.toJSON(), world), this.#surroundings());
    this.#hold = setInterval(() => {}, 2 ** 30);
    this.#shell.feed({ event: 'start' });
  }

  async write(text: string): Promise<void> {
    if (this.#state === 'new') throw new TransportError('The CLI was not started; call start() first.');
    if (this.#inputEnded) throw new TransportError("The CLI's stdin was closed with endInput().");
    if (this.#input === 'closed')
      throw new TransportError("Writing to the CLI's stdin failed: the script has closed it.");
    // An unread pipe fills up; here it is full at once.
    if (this.#input === 'unread') await this.exited;
    if (this.#state === 'exited') throw new TransportError('The CLI has exited; nothing can be written to it.');
    this.#shell?.feed({ event: 'input', text });
  }

  async endInput(): Promise<void> {
    if (this.#input === 'read' && !this.#inputEnded) this.#shell?.feed({ event: 'input-end' });
    this.#inputEnded = true;
  }

  signal(signal: TransportSignal): void {
    if (this.#state !== 'running') return;
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
      stderr: (data) => errorOutput.write(data),
      flushed: async () => {},
      close: (what) => {
        if (what === 'stdin') this.#input = 'closed';
        else (what === 'stdout' ? output : errorOutput).end();
      },
      stopReading: () => {
        this.#input = 'unread';
      },
      holdPipe: async (ms) => {
        this.#heldMs = Math.max(this.#heldMs, ms);
      },
      record: (entry) => void this.#run.log.push(entry),
      exit: (code) => this.#exit(code, null),
      crash: (signal) => this.#exit(null, signal),
    };
  }

  #endOutput(): void {
    this.output.end();
    this.errorOutput.end();
  }

  #exit(exitCode: number | null, signal: string | null): void {
    if (this.#state === 'exited') return;
    this.#state = 'exited';
    clearInterval(this.#hold);
    this.#run.log.push({ kind: 'exit', code: exitCode, signal });
    if (this.#heldMs > 0) setTimeout(() => this.#endOutput(), this.#heldMs).unref();
    else this.#endOutput();
    this.#resolveExit({ exitCode, signal, ended: this.#ended });
  }
}

/** The settings that a child process would get as a file. */
function settingsFile({ argv, privateFiles }: StartRequest): string | undefined {
  return privateFiles.find(({ argvIndex }) => argv[argvIndex - 1] === '--settings')?.content;
}
