import type { FramesPage, QueueAction, QueueInfo, RecordingInfo, SourceInfo } from '../api.ts';
import type { Actor } from '../conversations/controls.ts';
import type { ConversationInfo } from '../conversations/conversation-info.ts';
import type { ConversationRecord } from '../conversations/record.ts';
import type { EndedTurn } from '../stats/aggregates.ts';

/** A source of conversations: this process, the disk, recordings, a fleet. It supplies records and their controls. */
export interface Source {
  readonly info: SourceInfo;
  /** Starts to supply records. Called once. */
  start(registry: ConversationRegistry): Promise<void> | void;
  /** Called when the first reader opens a conversation, and when the last one closes it. */
  watched?(record: ConversationRecord, isWatched: boolean): void;
  /** Pools and fleets. */
  queues?(): Promise<readonly QueueInfo[]> | readonly QueueInfo[];
  /** Performs an action on a queued turn; resolves with false if the queue belongs to another source. May reject. */
  actOnQueue?(queue: string, action: QueueAction, actor: Actor): Promise<boolean>;
  /** Cost per day, for a source that keeps its own totals. */
  spending?(days: number): Promise<readonly { readonly day: string; readonly usd: number }[]>;
  /** Counts new turns of other programs for the figures. Called before the figures are computed. */
  countTurns?(days: number): Promise<void>;
  recordings?(): readonly RecordingInfo[];
  /** The steps of a recording; undefined if it belongs to another source. */
  frames?(recording: string, from: number, limit: number): Promise<FramesPage | undefined>;
  /** Whether an unread transcript may contain a text; without this method, the transcript is read. */
  mayContain?(record: ConversationRecord, text: string): Promise<boolean>;
  /** Looks for new conversations. Called before a list is built, at most once per second. */
  refresh?(): Promise<void>;
  close(): Promise<void>;
}

/** Where a source registers its conversations. */
export interface ConversationRegistry {
  readonly redact: (text: string) => string;
  /** Whether a browser follows changes. */
  readonly hasReaders: boolean;
  /** Adds a conversation under an id that is safe in a URL. */
  add(source: SourceInfo, id: string, info: Partial<ConversationInfo>): ConversationRecord;
  find(id: string): ConversationRecord | undefined;
  /** The live conversation with this session id, from any source. */
  bySession(sessionId: string): ConversationRecord | undefined;
  remove(id: string): void;
  queuesChanged(): void;
  /** Adds a turn to the figures that is not in any record. */
  countTurn(turn: EndedTurn): void;
}
