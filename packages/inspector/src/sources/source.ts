import type { FramesPage, QueueAction, QueueInfo, RecordingInfo, SourceInfo } from '../api.ts';
import type { Actor } from '../conversations/controls.ts';
import type { Facts } from '../conversations/facts.ts';
import type { ConversationRecord } from '../conversations/record.ts';
import type { EndedTurn } from '../stats/aggregates.ts';

/** Where conversations come from: this process, the disk, recordings, a fleet. It supplies records and their controls. */
export interface Source {
  readonly info: SourceInfo;
  /** Starts to supply records. Called once. */
  start(shelf: Shelf): Promise<void> | void;
  /** The number of readers that look at a conversation has become more than 0, or 0. */
  watched?(record: ConversationRecord, isWatched: boolean): void;
  /** Pools and fleets. */
  queues?(): Promise<readonly QueueInfo[]> | readonly QueueInfo[];
  /** Does something with a turn of a queue; resolves with false if the queue is not one of this source. May reject. */
  actOnQueue?(queue: string, action: QueueAction, actor: Actor): Promise<boolean>;
  /** What was spent on the last days, by a source that keeps its own accounts. */
  spending?(days: number): Promise<readonly { readonly day: string; readonly usd: number }[]>;
  /** Counts turns of other programs that have come since, for the figures. Called before the figures are made. */
  countTurns?(days: number): Promise<void>;
  recordings?(): readonly RecordingInfo[];
  /** The steps of a recording; undefined if it is not one of this source. */
  frames?(recording: string, from: number, limit: number): Promise<FramesPage | undefined>;
  /** Whether an unread transcript may contain a text; without it, it is read. */
  mayContain?(record: ConversationRecord, text: string): Promise<boolean>;
  /** Looks for conversations that have come since; called before lists are made, at most once a second. */
  refresh?(): Promise<void>;
  close(): Promise<void>;
}

/** Where a source puts its conversations. */
export interface Shelf {
  readonly redact: (text: string) => string;
  /** Whether a browser follows what changes. */
  readonly hasReaders: boolean;
  /** Adds a conversation under an id that is safe in a URL. */
  add(source: SourceInfo, id: string, facts: Partial<Facts>): ConversationRecord;
  find(id: string): ConversationRecord | undefined;
  /** A live conversation with this session id, whatever its source. */
  bySession(sessionId: string): ConversationRecord | undefined;
  remove(id: string): void;
  queuesChanged(): void;
  /** Adds a turn to the figures that no record has told of. */
  countTurn(turn: EndedTurn): void;
}
