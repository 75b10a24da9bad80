import { on } from 'node:events';
import { columnsOf as widthOf } from '../render/measure.ts';
import type { Paint } from '../render/paint.ts';
import { wrapLines } from '../render/wrap.ts';
import { PromptKeys } from './prompt-keys.ts';
import { canDraw, columnsOf, type Terminal } from './terminal.ts';

/** An option; pressing `key` answers immediately. */
export interface KeyOption {
  readonly key: string;
  readonly label: string;
}

/** A question that one key answers. */
export interface KeyQuestion {
  readonly title: string;
  /** Shown below the title, and kept when the question is answered. */
  readonly details: readonly string[];
  readonly options: readonly KeyOption[];
}

/**
 * Asks the question, and keeps it with its answer on the screen. The last line lists the keys once they are accepted.
 * The answer is `undefined` if Ctrl-C or Escape was pressed, or the signal was aborted.
 */
export async function askKey(
  terminal: Terminal,
  question: KeyQuestion,
  paint: Paint,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { stdin, stderr } = terminal;
  const columns = columnsOf(stderr);
  const details = question.details.map((line) => paint.dim(`  ${line}`));
  const choices = question.options.map(({ key, label }) => ` ${paint.cyan(key)}  ${label}`);
  const open = wrapLines([`${paint.cyan('◆')}  ${question.title}`, ...details, ...choices].join('\n'), columns);
  stderr.write(`${open.join('\n')}\n`);
  const key = await chosenKey(stdin, question, signal, (keys) => stderr.write(paint.dim(`Press ${keys}: `)));
  const chosen = question.options.find((option) => option.key === key);
  const label = chosen?.label ?? (signal.aborted ? 'The question was withdrawn.' : 'No answer.');
  const mark = chosen === undefined ? paint.red('■') : paint.green('◇');
  const closed = wrapLines([`${mark}  ${question.title}`, ...details, `   ${label}`].join('\n'), columns);
  // Rows that have scrolled off the screen, or were rewrapped by a resize, cannot be redrawn.
  const rows = open.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
  const canRedraw = canDraw(terminal) && columnsOf(stderr) === columns && rows < (stderr.rows || 24);
  stderr.write(canRedraw ? `\r\u001b[${rows}A\u001b[J${closed.join('\n')}\n` : `\r${label}\n`);
  return chosen?.key;
}

/** A key of the question, or undefined for Ctrl-C, Escape and an aborted signal. Other keys are ignored. */
async function chosenKey(
  stdin: NodeJS.ReadStream,
  { options }: KeyQuestion,
  signal: AbortSignal,
  onReady: (keys: string) => void,
): Promise<string | undefined> {
  const names = options.map(({ key }) => key);
  using keys = new PromptKeys(stdin, () => onReady(`${names.slice(0, -1).join(', ')} or ${names.at(-1)}`));
  try {
    for await (const [data] of on(keys.stream, 'data', { signal })) {
      const key = String(data).toLowerCase();
      if (key === CTRL_C || key === ESCAPE) return undefined;
      if (names.includes(key)) return key;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return undefined;
}

const CTRL_C = '\u0003';
const ESCAPE = '\u001b';
