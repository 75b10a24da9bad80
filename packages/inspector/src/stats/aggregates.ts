import type { CostInfo, DayStats, Stats } from '../api.ts';
import { addByName, addCost, NO_COST } from '../conversations/cost.ts';
import { PRICES_OF } from './prices.ts';

/** The contribution of a turn to the figures. */
export interface EndedTurn {
  readonly at: number;
  readonly conversation: string;
  readonly cost: CostInfo;
  readonly byModel: Readonly<Record<string, CostInfo>>;
  readonly byTool: Readonly<Record<string, CostInfo>>;
  /** The folder of the agent. */
  readonly project: string | null;
  /** Duration; `null` for a cost without a turn. */
  readonly durationMs: number | null;
  readonly ok: boolean;
}

/** Number of days kept, and of conversations in each. */
const KEPT = { days: 400, conversations: 1_000 };
/** Number of conversations in a report. */
const TOP = 20;

/** The figures of the plots, updated as turns end, so that reading them is cheap. */
export class Aggregates {
  readonly #days = new Map<string, Day>();

  add(turn: EndedTurn): void {
    const key = dayOf(turn.at);
    const day = this.#days.get(key) ?? new Day();
    this.#days.set(key, day);
    day.add(turn);
    forgetOldest(this.#days, KEPT.days);
  }

  /** The figures of the last `days` days up to `now`. */
  report(days: number, now: number, titleOf: (conversation: string) => string | undefined): Stats {
    const list: DayStats[] = [];
    const byModel: Record<string, CostInfo> = {};
    const byTool: Record<string, CostInfo> = {};
    const byProject: Record<string, CostInfo> = {};
    const byConversation: Record<string, CostInfo> = {};
    let total = NO_COST;
    let unpriced = 0;
    for (let back = days - 1; back >= 0; back -= 1) {
      const date = new Date(now);
      date.setDate(date.getDate() - back);
      const key = dayOf(date.getTime());
      const day = this.#days.get(key) ?? new Day();
      list.push({ day: key, ...day.report() });
      addByName(byModel, day.models);
      addByName(byTool, day.tools);
      addByName(byProject, day.projects);
      addByName(byConversation, day.conversations, KEPT.conversations);
      total = addCost(total, day.cost);
      unpriced += day.unpriced;
    }
    const dearest = Object.entries(byConversation).sort(([, a], [, b]) => b.usd - a.usd);
    const top = dearest.flatMap(([conversation, cost]) => {
      const title = titleOf(conversation);
      return title === undefined || cost.usd === 0 ? [] : [{ conversation, title, cost }];
    });
    return {
      days: list,
      total,
      byModel,
      byTool,
      byProject,
      unpriced,
      pricesOf: PRICES_OF,
      top: top.slice(0, TOP),
    };
  }
}

class Day {
  cost: CostInfo = NO_COST;
  unpriced = 0;
  readonly models: Record<string, CostInfo> = {};
  readonly tools: Record<string, CostInfo> = {};
  readonly projects: Record<string, CostInfo> = {};
  readonly conversations: Record<string, CostInfo> = {};
  #turns = 0;
  #failed = 0;
  /** A histogram of durations with logarithmic buckets, so that its size is bounded. */
  readonly #latencies = new Map<number, number>();

  add({ cost, byModel, byTool, project, conversation, durationMs, ok }: EndedTurn): void {
    this.cost = addCost(this.cost, cost);
    addByName(this.models, byModel);
    addByName(this.tools, byTool);
    if (project !== null) addByName(this.projects, { [project]: cost });
    addByName(this.conversations, { [conversation]: cost }, KEPT.conversations);
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
