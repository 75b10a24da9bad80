import { colours, type Paint, plain } from '../render/paint.ts';
import { wrapLines } from '../render/wrap.ts';

/** The streams and the environment of a command. */
export interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
}

/** The terminal of this process. */
export const ownTerminal: Terminal = process;

/** Whether the user can be asked: input and output must be terminals. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Whether a line may be redrawn. */
export function canDraw({ stderr, env }: Terminal): boolean {
  return stderr.isTTY === true && env.TERM !== 'dumb';
}

/** Colours on a terminal, unless NO_COLOR or `--no-color` disables them; anywhere if FORCE_COLOR enables them. */
export function paintFor(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv, wanted = true): Paint {
  if (!wanted || env.NO_COLOR) return plain;
  if (env.FORCE_COLOR) return env.FORCE_COLOR === '0' ? plain : colours;
  return stream.isTTY === true && env.TERM !== 'dumb' ? colours : plain;
}

/** The width of a stream's terminal; practically unlimited if the stream is not a terminal. */
export function columnsOf(stream: NodeJS.WriteStream): number {
  return stream.isTTY === true ? Math.max(10, stream.columns || 80) : 400;
}

/** Writes text for a person to stderr, wrapped between words. */
export function printNotice({ stderr }: Terminal, words: string): void {
  stderr.write(`${wrapLines(words, columnsOf(stderr)).join('\n')}\n`);
}
