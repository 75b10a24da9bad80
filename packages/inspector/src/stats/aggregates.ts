import type { CostInfo, DayStats, Stats } from '../api.ts';
import { addByModel, addCost, NO_COST } from '../conversations/cost.ts';

/** The contribution of a turn to the figures. */
export interface EndedTurn {
  readonly at: number;
  readonly conversation: string;
  readonly cost: CostInfo;
  readonly byModel: Readonly<Record<string, CostInfo>>;
  /** Duration; `null` for a cost without a turn. */
  readonly durationMs: number | null;
  readonly ok: boolean;
}

/** Number of days and conversations kept. */
const KEPT = { days: 400, conversations: 5_000 };

/** The figures of the plots, updated as turns end, so that reading them is cheap. */
export class Aggregates {
  readonly #days = new Map<string, Day>();
  readonly #byConversation = new Map<string, number>();

  add(turn: EndedTurn): void {
    const key = dayOf(turn.at);
    const day = this.#days.get(key) ?? new Day();
    this.#days.set(key, day);
    day.add(turn);
    this.#byConversation.set(turn.conversation, (this.#byConversation.get(turn.conversation) ?? 0) + turn.cost.usd);
    forgetOldest(this.#days, KEPT.days);
    forgetOldest(this.#byConversation, KEPT.conversations);
  }

  /** The figures of the last `days` days up to `now`. */
  report(days: number, now: number, titleOf: (conversation: string) => string | undefined): Stats {
    const list: DayStats[] = [];
    const byModel: Record<string, CostInfo> = {};
    let total = NO_COST;
    let unpriced = 0;
    for (let back = days - 1; back >= 0; back -= 1) {
      const date = new Date(now);
      date.setDate(date.getDate() - back);
      const key = dayOf(date.getTime());
      const day = this.#days.get(key) ?? new Day();
      list.push({ day: key, ...day.report() });
      addByModel(byModel, day.models);
      total = addCost(total, day.cost);
      unpriced += day.unpriced;
    }
    const dearest = [...this.#byConversation].sort(([, a], [, b]) => b - a);
    const top = dearest.flatMap(([conversation, usd]) => {
      const title = titleOf(conversation);
      return title === undefined || usd === 0 ? [] : [{ conversation, title, usd }];
    });
    return { days: list, total, byModel, unpriced, top: top.slice(0, 20) };
  }
}

class Day {
  cost: CostInfo = NO_COST;
  unpriced = 0;
  readonly models: Record<string, CostInfo> = {};
  #turns = 0;
  #failed = 0;
  /** A histogram of durations with logarithmic buckets, so that its size is bounded. */
  readonly #latencies = new Map<number, number>();

  add({ cost, byModel, durationMs, ok }: EndedTurn): void {
    this.cost = addCost(this.cost, cost);
    addByModel(this.models, byModel);
    if (durationMs === null) return;
    if (cost.usd === 0 && !cost.complete) this.unpriced += 1;
    this.#turns += 1;
    if (!ok) this.#failed += 1;
    const bucket = Math.round(Math.log(Math.max(1, durationMs)) / STEP);
    this.#latencies.set(bucket, (this.#latencies.get(bucket) ?? 0) + 1);
  }

  report(): Omit<DayStats, 'day'> {
    const latencyMs = this.#turns === 0 ? null : { p50: this.#percentile(0.5), p95: this.#percentile(0.95) };
    const { usd, tokens } = this.cost;
    return { models: { ...this.models }, usd, tokens, turns: this.#turns, failed: this.#failed, latencyMs };
  }

  #percentile(share: number): number {
    let left = Math.ceil(this.#turns * share);
    for (const [bucket, count] of [...this.#latencies].sort(([a], [b]) => a - b)) {
      left -= count;
      if (left <= 0) return Math.round(Math.exp(bucket * STEP));
    }
    return 0;
  }
}

/** Limits the error of a percentile to 2.5 %. */
const STEP = Math.log(1.05);

/** A day in the local time zone: `2026-11-16`. */
export function dayOf(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function forgetOldest(map: Map<string, unknown>, limit: number): void {
  for (const key of map.keys()) {
    if (map.size <= limit) return;
    map.delete(key);
  }
}
