import type { AuditEntry, Entry } from '../api.ts';
import { oneLine } from './cut.ts';

/** Whether a prompt is the CLI's note about an interrupt, which the end of the turn shows anyway. */
export function isInterruptNote(text: string): boolean {
  return /^\[Request interrupted by user( for tool use)?\]$/.test(text.trim());
}

/** Number of recent entries searched for a prompt that was sent from the page. */
const RECENT = 20;

interface Entries {
  readonly total: number;
  get(n: number): Entry | undefined;
  put(entry: Entry): void;
}

/** Detects actions from the page that another entry already shows, with the name of the person. */
export class ShownActions {
  readonly #entries: Entries;
  /** An interrupt whose turn has not ended. */
  #interrupt: AuditEntry | undefined;

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  /** Whether another entry shows the action, or will show it. */
  isShown(audit: AuditEntry): boolean {
    if (audit.error !== null) return false;
    return audit.action === 'interrupt' ? this.#isShownByResult(audit) : this.#isPrompt(audit);
  }

  /** Called when a turn ends. Returns who interrupted it, and an interrupt that was too late for it. */
  ended(interrupted: boolean): { readonly by: string | null; readonly late: AuditEntry | undefined } {
    const held = this.#interrupt;
    this.#interrupt = undefined;
    return interrupted ? { by: held?.by ?? null, late: undefined } : { by: null, late: held };
  }

  /** The turn may have ended before the action is reported. */
  #isShownByResult(audit: AuditEntry): boolean {
    const last = this.#entries.get(this.#entries.total - 1);
    if (last?.kind === 'result' && last.outcome === 'interrupted') this.#entries.put({ ...last, by: audit.by });
    else this.#interrupt = audit;
    return true;
  }

  #isPrompt({ by, note }: AuditEntry): boolean {
    const { total } = this.#entries;
    for (let n = total - 1; n >= Math.max(0, total - RECENT); n -= 1) {
      const entry = this.#entries.get(n);
      if (entry?.kind === 'prompt' && entry.by === by && oneLine(entry.text.text, 500) === note) return true;
    }
    return false;
  }
}
