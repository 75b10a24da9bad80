import { type ChildProcess, spawn } from 'node:child_process';
import type { IsolatedHome } from './isolated-home.ts';
import { realCli } from './real-cli.ts';

/** A line of the CLI's stdout with its time of arrival, in ms since the start. */
export interface TimedFrame {
  readonly at: number;
  readonly frame: Readonly<Record<string, unknown>>;
}

/** The end and the output of a run. */
export interface PlainRun {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly exitedAt: number;
  readonly lines: readonly TimedFrame[];
  readonly frames: readonly TimedFrame['frame'][];
  /** Must be empty. */
  readonly nonJsonLines: readonly string[];
  readonly stderr: string;
}

/** Options of a plain run. */
export interface PlainRunOptions {
  readonly home: IsolatedHome;
  readonly version?: string;
  /** Written to stdin, which is then closed. */
  readonly prompt?: string;
  /** The turns of a conversation instead: each is sent after the result of the previous one. */
  readonly turns?: readonly string[];
  /** Added to `--print --output-format stream-json --verbose`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Descriptors of the CLI, as 3, 4, … */
  readonly descriptors?: readonly number[];
  readonly timeoutMs?: number;
  readonly onFrame?: (frame: TimedFrame['frame'], child: ChildProcess) => void;
}

/** Runs the real CLI once with only `node:child_process`, so that no code of this project is between test and CLI. */
export async function plainRun(options: PlainRunOptions): Promise<PlainRun> {
  const { home, prompt = 'hello', args = [], descriptors = [], timeoutMs = 40_000 } = options;
  const startedAt = performance.now();
  const elapsed = (): number => Math.round(performance.now() - startedAt);
  const lines: TimedFrame[] = [];
  const nonJsonLines: string[] = [];
  let rest = '';
  let stderr = '';

  const input = options.turns === undefined ? [] : ['--input-format', 'stream-json'];
  const flags = ['--print', '--output-format', 'stream-json', '--verbose', ...input, ...args];
  const child = spawn(realCli(options.version), flags, {
    cwd: home.project,
    env: home.env(options.env),
    stdio: ['pipe', 'pipe', 'pipe', ...descriptors],
  });
  const take = (line: string): void => {
    const frame = parse(line);
    if (frame === undefined) return void nonJsonLines.push(line);
    lines.push({ at: elapsed(), frame });
    options.onFrame?.(frame, child);
    if (frame.type === 'result') sendNext();
  };
  const turns = [...(options.turns ?? [])];
  const sendNext = (): void => {
    const content = turns.shift();
    if (content === undefined) child.stdin?.end();
    else child.stdin?.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
  };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    parts.forEach(take);
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  child.stdin?.on('error', () => {});
  if (options.turns === undefined) child.stdin?.end(prompt);
  else sendNext();

  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode, signal) => {
      clearTimeout(timer);
      if (rest !== '') take(rest);
      const frames = lines.map(({ frame }) => frame);
      resolve({ exitCode, signal, exitedAt: elapsed(), lines, frames, nonJsonLines, stderr });
    });
  });
}

function parse(line: string): TimedFrame['frame'] | undefined {
  try {
    const value: unknown = JSON.parse(line);
    // Only objects are frames; their fields are checked where they are read.
    return typeof value === 'object' && value !== null ? (value as TimedFrame['frame']) : undefined;
  } catch {
    return undefined;
  }
}
