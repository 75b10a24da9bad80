import type { PromptPlan } from './prompt.ts';
import type { WalkMode } from './steps.ts';

/** How something that was sent ended, for its sender. */
export type Ending =
  | { readonly kind: 'result'; readonly outcome: string; readonly text: string }
  | { readonly kind: 'error'; readonly name: string; readonly message: string };

/** One prompt: how it was sent and its outcome. */
export interface Entry {
  readonly plan: PromptPlan;
  readonly how: 'send' | 'steer' | 'push' | 'fork';
  /** Prompts of one lane run one after the other: a session, or the conversation of a pool's key. */
  readonly lane: string;
  readonly sentAt: number;
  readonly mode?: WalkMode | undefined;
  readonly timeoutMs?: number | undefined;
  /** For steering: the token of its turn. */
  readonly into?: string | undefined;
  turn?: string;
  abortedAt?: number;
  /** Its sender cancelled it. */
  cancelledAt?: number;
  settledAt?: number;
  ending?: Ending;
  /** The text of all results of its turn. */
  readonly results: string[];
  /** The model's texts in its turn. */
  readonly texts: string[];
}

/** An action on a lane, and the time span in which it may have taken effect. */
export interface Disturbance {
  readonly what: 'interrupt' | 'kill' | 'mode' | 'clear';
  readonly lane: string;
  readonly from: number;
  to?: number;
  /** For a change of mode: the new mode; undefined if the change failed. */
  mode?: WalkMode | undefined;
}

/** A result as received by an observer of the session. */
export interface ObservedResult {
  readonly at: number;
  readonly turn: string | null;
  readonly text: string;
}

/** Everything that a walk did and its outcomes, with times in ms. */
export class Ledger {
  readonly entries: Entry[] = [];
  readonly disturbances: Disturbance[] = [];
  readonly observed: ObservedResult[] = [];
  /** When each prompt first reached the model, by token. */
  readonly heardAt = new Map<string, number>();
  /** Failures and hangs outside of prompts. */
  readonly problems: { readonly rule: string; readonly detail: string }[] = [];

  /** What happened, one line per event, for debugging a failure. */
  readonly trace: string[] = [];

  note(line: string | undefined): void {
    if (line !== undefined) this.trace.push(`${Math.round(this.now())} ${line}`);
  }

  now(): number {
    return performance.now();
  }

  add(entry: Pick<Entry, 'plan' | 'how' | 'lane' | 'mode' | 'timeoutMs' | 'into'>): Entry {
    const added: Entry = { ...entry, sentAt: this.now(), results: [], texts: [] };
    this.entries.push(added);
    return added;
  }

  disturb(what: Disturbance['what'], lane: string): Disturbance {
    const added: Disturbance = { what, lane, from: this.now() };
    this.disturbances.push(added);
    return added;
  }

  heard(tokens: readonly string[]): void {
    for (const token of tokens) if (!this.heardAt.has(token)) this.heardAt.set(token, this.now());
  }

  problem(rule: string, detail: string): void {
    this.problems.push({ rule, detail });
  }

  /** The oldest turn that has not ended. */
  oldestOpen(lane?: string): Entry | undefined {
    return this.entries.find(
      (entry) => entry.how === 'send' && entry.settledAt === undefined && (lane === undefined || entry.lane === lane),
    );
  }
}
