import type { Entry } from '../api.ts';
import { bounded } from './bounded.ts';
import { textIn } from './fields.ts';
import { isAwaitedTask } from './system-line.ts';

/** Number of tasks kept. */
const REMEMBERED = 1_000;

/** Detects reports of the CLI that repeat what the transcript already shows. */
export class KnownReports {
  /** The line about the latest start of the CLI, which it repeats in every turn. */
  #started = '';
  /** Tasks of subagents that a turn waits for: the calls that started them show their work. */
  readonly #awaited = new Set<string>();

  /** `last` is the newest entry of the transcript. */
  isKnown(message: Readonly<Record<string, unknown>>, text: string, last: Entry | undefined): boolean {
    const task = textIn(message, 'task_id') ?? '';
    if (isAwaitedTask(message)) bounded(this.#awaited, REMEMBERED).add(task);
    switch (message.subtype) {
      case 'init': {
        const again = text === this.#started;
        this.#started = text;
        return again;
      }
      case 'api_retry':
        return last?.kind === 'warning' && last.code === 'api-retry';
      default:
        return this.#awaited.has(task);
    }
  }
}
