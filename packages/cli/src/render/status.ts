import { count, duration, usd } from './format.ts';
import { columnsOf, fit } from './measure.ts';
import type { Paint } from './paint.ts';

/** The content of the status line. */
export interface Status {
  readonly elapsedMs: number;
  readonly tokens: number;
  /** The cost of the session so far, if known. */
  readonly costUsd: number | undefined;
  readonly activity: string;
  /** What Ctrl-C does now. */
  readonly key: string;
}

/** One line that fits the terminal: what runs, for how long, and its cost so far. */
export function statusLine(status: Status, frame: number, paint: Paint, columns: number): string {
  const spinner = SPINNER[frame % SPINNER.length] ?? '';
  const facts = [
    duration(status.elapsedMs).replace(/\.\d s$/, ' s'),
    ...(status.tokens > 0 ? [`${count(status.tokens)} tokens`] : []),
    ...(status.costUsd === undefined ? [] : [usd(status.costUsd)]),
  ].join(' · ');
  const key = ` · ${status.key}`;
  const room = columns - 1;
  const fixed = 2 + columnsOf(facts) + 3;
  const withKey = fixed + columnsOf(status.activity) + columnsOf(key) <= room;
  const activity = fit(status.activity, Math.max(0, room - fixed - (withKey ? columnsOf(key) : 0)));
  const words = fit([facts, activity].filter(Boolean).join(' · '), Math.max(0, room - 2));
  return `${paint.cyan(spinner)} ${paint.dim(words + (withKey ? key : ''))}`;
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
