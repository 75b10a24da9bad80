import type { AuditEntry } from './actions.ts';
import type { CostInfo } from './cost.ts';
import type { Cursor } from './server.ts';

/** A window of the transcript. */
export interface EntriesPage {
  readonly entries: readonly Entry[];
  /** The number of the first entry here. */
  readonly from: number;
  readonly total: number;
  readonly cursor: Cursor;
}

/**
 * One entry of the transcript. `n` counts from 0 without gaps and never changes; the rest of an entry may change until it is
 * finished (text that streams, a tool that runs): a later entry with the same `n` replaces it.
 */
export type Entry = EntryHead &
  (
    | PromptEntry
    | TextEntry
    | ThinkingEntry
    | ToolEntry
    | SystemEntry
    | WarningEntry
    | ErrorEntry
    | ResultEntry
    | AuditNote
  );

/** What all entries have. */
export interface EntryHead {
  readonly n: number;
  readonly at: number | null;
  /** The turn it belongs to; `null` for the CLI's own work, and where the source does not say. */
  readonly turn: string | null;
  /** The tool use that started the subagent which said this (`ToolEntry.id`); `null` in the main conversation. */
  readonly parent: string | null;
  /** How deep it is nested: 0 in the main conversation. */
  readonly depth: number;
}

/** A text, cut if it is long. */
export interface Cut {
  readonly text: string;
  /** The length of the whole text, in characters. */
  readonly length: number;
  /** The URL of the whole, relative to the page; `null` if `text` is the whole. */
  readonly more: string | null;
}

/** What a person, or a program, sent. */
export interface PromptEntry {
  readonly kind: 'prompt';
  readonly text: Cut;
  /** Images and documents that were sent along. */
  readonly attachments: number;
  /** `steer`: added to a running turn. `cli`: written by the CLI itself. */
  readonly from: 'user' | 'steer' | 'cli';
  /** Who sent it, if that is known: the inspector's user (`local` without a login), or who submitted it to a fleet. */
  readonly by: string | null;
}

/** An answer of the model, in Markdown. */
export interface TextEntry {
  readonly kind: 'text';
  readonly text: Cut;
  readonly model: string | null;
  /** More will come, by `delta` events. */
  readonly streaming: boolean;
}

/** A thought of the model. `text` is empty if the API withheld it. */
export interface ThinkingEntry {
  readonly kind: 'thinking';
  readonly text: Cut;
  readonly streaming: boolean;
  readonly durationMs: number | null;
}

/** A tool call and what came of it. */
export interface ToolEntry {
  readonly kind: 'tool';
  /** The id of the tool use; entries of its subagent have it as `parent`. */
  readonly id: string;
  readonly name: string;
  /** The part of the input that tells most, on one line: the command, the path, the pattern, the URL. */
  readonly argument: string;
  /** The input as JSON, indented. */
  readonly input: Cut;
  /** What the model asked for, if a person changed the input; `null` if it is `input`. */
  readonly asked: Cut | null;
  /** `asking`: an approval is open. `refused`: by a person, a rule or a hook. `lost`: its turn ended without a result. */
  readonly state: 'running' | 'asking' | 'ok' | 'failed' | 'refused' | 'lost';
  readonly result: Cut | null;
  readonly diff: Diff | null;
  /** Of an Agent/Task call. */
  readonly subagent: { readonly type: string | null; readonly description: string | null } | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly durationMs: number | null;
}

/** The change that Edit, MultiEdit, Write or NotebookEdit makes. */
export interface Diff {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
  /** The file is new; `null` if that is not known yet: all of it is written, whatever it holds now. */
  readonly created: boolean | null;
  /** The URL of the whole diff as unified text, if `hunks` was cut. */
  readonly more: string | null;
}

/** One hunk of a diff. */
export interface Hunk {
  /** The first line in the old and in the new file, counted from 1; `null` if only the fragment is known. */
  readonly oldStart: number | null;
  readonly newStart: number | null;
  /** How many unchanged lines are left out before it; `null` if that is not known. */
  readonly leftOut: number | null;
  /** Each with ' ', '+' or '-' in front. */
  readonly lines: readonly string[];
}

/** Something the CLI reported: its start, a compaction, a retry, a hook, a task, a state of the session. */
export interface SystemEntry {
  readonly kind: 'system';
  /** The kind of report, such as `init`, `compact_boundary`, `api_retry`, `restarting`. */
  readonly subtype: string;
  /** One line for people. */
  readonly text: string;
  /** The report as JSON. */
  readonly detail: Cut | null;
}

/** A warning of the SDK. */
export interface WarningEntry {
  readonly kind: 'warning';
  readonly code: string;
  readonly message: string;
  /** What to do about it; '' if the table does not say. */
  readonly remedy: string;
  readonly detail: Cut | null;
}

/** An error of the SDK, of the API or of the run. */
export interface ErrorEntry {
  readonly kind: 'error';
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  readonly detail: Cut | null;
}

/** The end of a turn. */
export interface ResultEntry {
  readonly kind: 'result';
  /** `completed`, `interrupted`, `max-turns`, `no-result`, …: `outcomeOf(result).kind`. */
  readonly outcome: string;
  readonly ok: boolean;
  /** What the CLI said about an outcome that is not `completed`. */
  readonly message: string;
  /** Who interrupted the turn in the inspector. */
  readonly by: string | null;
  readonly cost: CostInfo | null;
  readonly durationMs: number | null;
}

/** Something that was done from the inspector, in its place in the transcript. */
export interface AuditNote {
  readonly kind: 'audit';
  readonly audit: AuditEntry;
}
