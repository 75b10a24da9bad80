import type { CostInfo, Span, TurnInfo } from '../api.ts';
import { outcomeOfKind } from './outcome.ts';
import { priced } from './priced-spans.ts';

/** Number of turns kept, of spans per turn, and of spans in total. */
const KEPT = { turns: 1_000, spansOfTurn: 1_000, spans: 10_000 };

type OpenTurn = { -readonly [K in keyof TurnInfo]: TurnInfo[K] } & { spans: Span[] };

/** The turns of a conversation and their spans. Old turns lose their spans first. */
export class Timeline {
  readonly #turns: OpenTurn[] = [];
  readonly #byId = new Map<string, OpenTurn>();
  /** The turn of each open span. */
  readonly #open = new Map<string, OpenTurn>();
  #spans = 0;
  /** Number of turns that were dropped. */
  #dropped = 0;
  readonly #changed: (turn: string) => void;

  constructor(changed: (turn: string) => void) {
    this.#changed = changed;
  }

  get total(): number {
    return this.#dropped + this.#turns.length;
  }

  get(id: string): TurnInfo | undefined {
    const turn = this.#byId.get(id);
    return turn && shown(turn);
  }

  /** The turns in a range; dropped ones are omitted. */
  window(from: number, limit: number): TurnInfo[] {
    const first = Math.max(0, from - this.#dropped);
    return this.#turns.slice(first, Math.max(first, from - this.#dropped + limit)).map(shown);
  }

  /** Adds a turn; with `waits`, it waits until `started`. */
  begin(id: string, title: string, at: number, firstEntry: number | null, waits = false): void {
    if (this.#byId.has(id)) return;
    const outcome = waits ? ('waiting' as const) : null;
    const times = { startedAt: at, endedAt: null, outcome, reason: null, cost: null };
    const turn: OpenTurn = { id, title, firstEntry, ...times, spans: [], spansLeftOut: 0 };
    this.#turns.push(turn);
    this.#byId.set(id, turn);
    if (this.#turns.length > KEPT.turns) this.#drop();
    this.#changed(id);
  }

  /** Marks a turn as running, also if it seemed to have ended. */
  started(id: string): void {
    const turn = this.#byId.get(id);
    if (!turn || turn.outcome === null) return;
    Object.assign(turn, { outcome: null, reason: null, endedAt: null });
    this.#changed(id);
  }

  /** Ends a turn. `kind` is what ended it, see `outcomeOfKind`. */
  end(id: string, kind: string, cost: CostInfo | null, at: number): void {
    const turn = this.#byId.get(id);
    if (!turn) return;
    const outcome = outcomeOfKind(kind);
    Object.assign(turn, { outcome, reason: kind === outcome ? null : kind, cost, endedAt: at });
    for (const [span, owner] of this.#open) if (owner === turn) this.close(span, at, 'ended with the turn');
    this.#changed(id);
  }

  /** Ends all open turns. */
  endAll(kind: string, at: number): void {
    for (const { id, endedAt } of this.#turns) if (endedAt === null) this.end(id, kind, null, at);
  }

  /** Opens a span in a turn; without a turn, in the newest one. */
  open(turnId: string | null, span: Omit<Span, 'endedAt' | 'outcome'>): void {
    const turn = turnId === null ? this.#turns.at(-1) : this.#byId.get(turnId);
    if (!turn || this.#open.has(span.id)) return;
    if (turn.spans.length >= KEPT.spansOfTurn) {
      turn.spansLeftOut += 1;
      return;
    }
    turn.spans.push({ ...span, endedAt: null, outcome: null });
    this.#open.set(span.id, turn);
    this.#spans += 1;
    if (this.#spans > KEPT.spans) this.#strip(turn);
    this.#changed(turn.id);
  }

  /** Adds a span, or replaces the one with its id. */
  set(turnId: string | null, span: Span): void {
    const turn = this.#open.get(span.id) ?? (turnId === null ? this.#turns.at(-1) : this.#byId.get(turnId));
    if (!turn) return;
    const known = turn.spans.findLastIndex(({ id }) => id === span.id);
    if (known === -1) this.open(turnId, span);
    else turn.spans[known] = span;
    if (span.endedAt !== null && known === -1) this.close(span.id, span.endedAt, span.outcome);
    else if (span.endedAt !== null) this.#open.delete(span.id);
    if (known !== -1) this.#changed(turn.id);
  }

  /** Sets what the calls of the model in a turn cost. */
  price(turnId: string, byModel: Readonly<Record<string, CostInfo>>): void {
    const turn = this.#byId.get(turnId);
    if (turn) turn.spans = priced(turn.spans, byModel);
  }

  rename(spanId: string, name: string): void {
    const turn = this.#open.get(spanId);
    if (turn) turn.spans = turn.spans.map((span) => (span.id === spanId ? { ...span, name } : span));
  }

  /** Removes an open span that duplicates another one. */
  remove(spanId: string): void {
    const turn = this.#open.get(spanId);
    if (!turn) return;
    this.#open.delete(spanId);
    turn.spans = turn.spans.filter(({ id }) => id !== spanId);
    this.#spans -= 1;
    this.#changed(turn.id);
  }

  close(spanId: string, at: number, outcome: string | null): void {
    const turn = this.#open.get(spanId);
    const index = turn?.spans.findIndex(({ id }) => id === spanId) ?? -1;
    const span = turn?.spans[index];
    if (!turn || !span) return;
    this.#open.delete(spanId);
    turn.spans[index] = { ...span, endedAt: at, outcome };
    this.#changed(turn.id);
  }

  #drop(): void {
    const [oldest] = this.#turns.splice(0, 1);
    if (!oldest) return;
    this.#byId.delete(oldest.id);
    this.#spans -= oldest.spans.length;
    this.#dropped += 1;
  }

  /** Removes the spans of the oldest turn that has any, except `not`. */
  #strip(not: OpenTurn): void {
    const oldest = this.#turns.find((turn) => turn !== not && turn.spans.length > 0);
    if (!oldest) return;
    this.#spans -= oldest.spans.length;
    oldest.spansLeftOut += oldest.spans.length;
    oldest.spans = [];
  }
}

/** A turn that waits for a person is shown as waiting, not as running. */
function shown(turn: OpenTurn): TurnInfo {
  const waits =
    turn.outcome === null && turn.spans.some(({ kind, endedAt }) => kind === 'permission' && endedAt === null);
  return waits ? { ...turn, outcome: 'waiting' } : turn;
}

/** The head of a span. Its id includes the kind, because a subagent and its tool use share an id. */
export function spanHead<K extends Span['kind']>(
  kind: K,
  id: string,
  name: string,
  parent: string | null = null,
  argument = '',
): { id: string; kind: K; name: string; argument: string; parent: string | null; cost: null } {
  return { id: `${kind} ${id}`, kind, name, argument, parent, cost: null };
}
