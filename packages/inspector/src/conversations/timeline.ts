import type { CostInfo, Span, TurnInfo } from '../api.ts';

/** How many turns are kept, and how many spans of each and of all. */
const KEPT = { turns: 1_000, spansOfTurn: 500, spans: 5_000 };

type OpenTurn = { -readonly [K in keyof TurnInfo]: TurnInfo[K] } & { spans: Span[] };

/** The turns of a conversation and what ran in them. Old turns lose their spans first. */
export class Timeline {
  readonly #turns: OpenTurn[] = [];
  readonly #byId = new Map<string, OpenTurn>();
  /** The turn of each span that has not ended. */
  readonly #open = new Map<string, OpenTurn>();
  #spans = 0;
  /** How many turns are no longer kept. */
  #dropped = 0;
  readonly #changed: (turn: string) => void;

  constructor(changed: (turn: string) => void) {
    this.#changed = changed;
  }

  get total(): number {
    return this.#dropped + this.#turns.length;
  }

  get(id: string): TurnInfo | undefined {
    return this.#byId.get(id);
  }

  /** The turns of a window; those that are no longer kept are left out. */
  window(from: number, limit: number): TurnInfo[] {
    const first = Math.max(0, from - this.#dropped);
    return this.#turns.slice(first, Math.max(first, from - this.#dropped + limit));
  }

  begin(id: string, title: string, at: number, firstEntry: number | null): void {
    if (this.#byId.has(id)) return;
    const times = { startedAt: at, endedAt: null, outcome: null, cost: null };
    const turn: OpenTurn = { id, title, firstEntry, ...times, spans: [], spansLeftOut: 0 };
    this.#turns.push(turn);
    this.#byId.set(id, turn);
    if (this.#turns.length > KEPT.turns) this.#drop();
    this.#changed(id);
  }

  end(id: string, outcome: string, cost: CostInfo | null, at: number): void {
    const turn = this.#byId.get(id);
    if (!turn) return;
    Object.assign(turn, { outcome, cost, endedAt: at });
    for (const [span, owner] of this.#open) if (owner === turn) this.close(span, at, 'ended with the turn');
    this.#changed(id);
  }

  /** Something starts in a turn; without a turn it belongs to the newest. */
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

  rename(spanId: string, name: string): void {
    const turn = this.#open.get(spanId);
    if (turn) turn.spans = turn.spans.map((span) => (span.id === spanId ? { ...span, name } : span));
  }

  /** Takes an open span back: it shows what another one shows. */
  remove(spanId: string): void {
    const turn = this.#open.get(spanId);
    if (!turn) return;
    this.#open.delete(spanId);
    turn.spans = turn.spans.filter(({ id }) => id !== spanId);
    this.#spans -= 1;
    this.#changed(turn.id);
  }

  close(spanId: string, at: number, outcome: string): void {
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

  /** Takes the spans of the oldest turn that has any, except those of `not`. */
  #strip(not: OpenTurn): void {
    const oldest = this.#turns.find((turn) => turn !== not && turn.spans.length > 0);
    if (!oldest) return;
    this.#spans -= oldest.spans.length;
    oldest.spansLeftOut += oldest.spans.length;
    oldest.spans = [];
  }
}

/** The head of a span, whose id says its kind: a subagent's tool use is a tool's id, too. */
export function spanHead<K extends 'tool' | 'hook' | 'permission' | 'subagent' | 'task'>(
  kind: K,
  id: string,
  name: string,
  parent: string | null = null,
): { id: string; kind: K; name: string; parent: string | null } {
  return { id: `${kind} ${id}`, kind, name, parent };
}
