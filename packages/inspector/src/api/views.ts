import type { CostInfo, Tokens } from './cost.ts';
import type { Entry } from './transcript.ts';

/** What the plots show. Days are those of the server's time zone. */
export interface Stats {
  readonly days: readonly DayStats[];
  readonly total: CostInfo;
  readonly byModel: Readonly<Record<string, CostInfo>>;
  /** How many of the turns have tokens but no price: those in transcripts on disk. */
  readonly unpriced: number;
  /** The dearest conversations, at most 20. */
  readonly top: readonly { readonly conversation: string; readonly title: string; readonly usd: number }[];
}

/** One day; days without turns are there with zeros. */
export interface DayStats {
  /** `2026-11-16`. */
  readonly day: string;
  readonly models: Readonly<Record<string, CostInfo>>;
  readonly usd: number;
  readonly tokens: Tokens;
  readonly turns: number;
  readonly failed: number;
  /** How long turns took; `null` without turns. */
  readonly latencyMs: { readonly p50: number; readonly p95: number } | null;
}

/** A pool or a fleet. */
export interface QueueInfo {
  readonly id: string;
  readonly source: string;
  readonly label: string;
  readonly state: string;
  readonly slots: number;
  readonly queued: number;
  readonly running: number;
  readonly ended: Readonly<Record<string, number>>;
  readonly pauses: readonly { readonly scope: string; readonly reason: string; readonly until: number }[];
  /** Whose turns wait because a quota is reached, how many, and which. */
  readonly heldBack: readonly { readonly scope: string; readonly waiting: number; readonly reason: string }[];
  readonly workers: readonly WorkerInfo[];
  /** Turns that wait, and those that will not run again. */
  readonly waiting: readonly QueuedTurn[];
  readonly dead: readonly QueuedTurn[];
}

/** A worker of a fleet. */
export interface WorkerInfo {
  readonly id: string;
  readonly name: string;
  readonly state: 'working' | 'draining' | 'lost';
  readonly slots: number;
  readonly busy: number;
  readonly seenAt: number;
}

/** A turn in a queue. */
export interface QueuedTurn {
  readonly id: string;
  readonly key: string | null;
  readonly conversation: string | null;
  readonly title: string;
  readonly since: number;
  readonly note: string | null;
}

/** A run of a cassette. It is a conversation, too (`conversation`), with everything in it from the start. */
export interface RecordingInfo {
  readonly id: string;
  readonly file: string;
  readonly run: number;
  readonly title: string;
  readonly recordedAt: number | null;
  readonly cliVersion: string | null;
  readonly durationMs: number;
  readonly frames: number;
  readonly conversation: string;
}

/**
 * The steps of a recording, in order: at `atMs` since its start the entry was, or became, this. What was to be seen at a
 * moment is the last frame of each `n` up to it.
 */
export interface FramesPage {
  readonly frames: readonly Frame[];
  readonly from: number;
  readonly total: number;
  readonly durationMs: number;
}

/** One step. */
export interface Frame {
  readonly atMs: number;
  readonly entry: Entry;
}

/** Where a text occurs, in titles and transcripts. */
export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** False if the search stopped at its limit of hits or time. */
  readonly complete: boolean;
}

/** One place. */
export interface SearchHit {
  readonly conversation: string;
  readonly title: string;
  /** The entry; `null` for a hit in the title. */
  readonly entry: number | null;
  readonly at: number | null;
  readonly before: string;
  readonly match: string;
  readonly after: string;
}
