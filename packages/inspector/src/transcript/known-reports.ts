import type { Entry } from '../api.ts';
import { bounded } from './bounded.ts';
import { textIn } from './fields.ts';
import { isAwaitedTask } from './system-line.ts';

/** How many tasks are remembered. */
const REMEMBERED = 1_000;

/** Knows which reports of the CLI say what the transcript says already. */
export class KnownReports {
  /** The line about the newest start of the CLI, which it repeats at every turn. */
  #started = '';
  /** The tasks of subagents that a turn waits for: the calls that started them show what they do. */
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
