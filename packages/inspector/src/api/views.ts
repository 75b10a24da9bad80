import type { CostInfo, Tokens } from './cost.ts';
import type { Entry } from './transcript.ts';

/** The data of the plots. Days are in the server's time zone. */
export interface Stats {
  readonly days: readonly DayStats[];
  readonly total: CostInfo;
  readonly byModel: Readonly<Record<string, CostInfo>>;
  /** By the tools that the model's answers call; answers without a call are `no tool`. */
  readonly byTool: Readonly<Record<string, CostInfo>>;
  /** By the folder of the agent. */
  readonly byProject: Readonly<Record<string, CostInfo>>;
  /** Number of turns in transcripts on disk whose model has no list price. */
  readonly unpriced: number;
  /** The day of the list prices for transcripts on disk. */
  readonly pricesOf: string;
  /** The most expensive conversations, at most 20. */
  readonly top: readonly { readonly conversation: string; readonly title: string; readonly cost: CostInfo }[];
}

/** One day. Days without turns are included, with zeros. */
export interface DayStats {
  /** `2026-11-16`. */
  readonly day: string;
  readonly models: Readonly<Record<string, CostInfo>>;
  readonly usd: number;
  readonly tokens: Tokens;
  readonly turns: number;
  readonly failed: number;
  /** Durations of turns; `null` without turns. */
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
  /** Turns of a fleet that wait for an answer, or for a worker after it, without a process. */
  readonly parked: number;
  readonly ended: Readonly<Record<string, number>>;
  readonly pauses: readonly { readonly scope: string; readonly reason: string; readonly until: number }[];
  /** Turns that wait because of a quota: the scope, the number of turns, the quota. */
  readonly heldBack: readonly { readonly scope: string; readonly waiting: number; readonly reason: string }[];
  /** Turns that wait because no live worker may run them. */
  readonly unserved: readonly { readonly waiting: number; readonly reason: string }[];
  readonly workers: readonly WorkerInfo[];
  /** Turns that wait, and turns that will not run again. */
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
  /** Its agents, with version and CLI: `review 2, CLI 2.1.327`. */
  readonly agents: readonly string[];
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

/** One run of a cassette. It is also a conversation (`conversation`), which contains the whole run from the start. */
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
 * The steps of a recording, in order: `atMs` after the start, the entry was added or changed to this. The content at a given
 * moment is the last frame of each `n` up to that moment.
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

/** The matches of a text in titles and transcripts. */
export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** False if the search stopped at its limit of hits or time. */
  readonly complete: boolean;
}

/** One match. Matches of a conversation follow each other. */
export interface SearchHit {
  readonly conversation: string;
  readonly title: string;
  /** The folder of the agent. */
  readonly folder: string | null;
  /** When the conversation last changed. */
  readonly updatedAt: number;
  /** The entry; `null` for a match in the title. */
  readonly entry: number | null;
  readonly at: number | null;
  /** The text before a tool call, on one line; `null` for other entries. */
  readonly why: string | null;
  readonly before: string;
  readonly match: string;
  readonly after: string;
}
