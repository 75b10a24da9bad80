import type { AuditEntry } from './actions.ts';
import type { CostInfo } from './cost.ts';
import type { Cursor } from './server.ts';

/** A window of the transcript. */
export interface EntriesPage {
  readonly entries: readonly Entry[];
  /** The number of the first entry on this page. */
  readonly from: number;
  readonly total: number;
  readonly cursor: Cursor;
}

/**
 * One entry of the transcript. `n` counts from 0 without gaps and never changes. The other fields may change until the entry is
 * finished (streaming text, a running tool): a later entry with the same `n` replaces it.
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

/** The common fields of all entries. */
export interface EntryHead {
  readonly n: number;
  readonly at: number | null;
  /** The turn it belongs to; `null` for the CLI's own work, and if the source does not report it. */
  readonly turn: string | null;
  /** The tool use that started the subagent of this entry (`ToolEntry.id`); `null` in the main conversation. */
  readonly parent: string | null;
  /** Nesting depth: 0 in the main conversation. */
  readonly depth: number;
}

/** A text, shortened if it is long. */
export interface Cut {
  readonly text: string;
  /** The length of the full text, in characters. */
  readonly length: number;
  /** The URL of the full text, relative to the page; `null` if `text` is complete. */
  readonly more: string | null;
}

/** A prompt from a person or a program. */
export interface PromptEntry {
  readonly kind: 'prompt';
  readonly text: Cut;
  /** Number of attached images and documents. */
  readonly attachments: number;
  /** `steer`: added to a running turn. `cli`: written by the CLI. */
  readonly from: 'user' | 'steer' | 'cli';
  /** The sender, if known: the inspector's user (`local` without a login), or the submitter of a fleet turn. */
  readonly by: string | null;
}

/** An answer of the model, in Markdown. */
export interface TextEntry {
  readonly kind: 'text';
  readonly text: Cut;
  readonly model: string | null;
  /** More text follows, in `delta` events. */
  readonly streaming: boolean;
}

/** A thought of the model. `text` is empty if the API withheld it. */
export interface ThinkingEntry {
  readonly kind: 'thinking';
  readonly text: Cut;
  readonly streaming: boolean;
  readonly durationMs: number | null;
}

/** A tool call and its result. */
export interface ToolEntry {
  readonly kind: 'tool';
  /** The id of the tool use; entries of its subagent have it as `parent`. */
  readonly id: string;
  readonly name: string;
  /** The most informative part of the input on one line: the command, the path, the pattern, the URL. */
  readonly argument: string;
  /** The input as JSON, indented. */
  readonly input: Cut;
  /** The input that the model asked for, if a person changed it; `null` if it is unchanged. */
  readonly asked: Cut | null;
  /** The Markdown of a plan that the call asks to approve; `null` for other tools. */
  readonly plan: Cut | null;
  /** `asking`: an approval is open. `refused`: denied by a person, a rule or a hook. `lost`: the turn ended without a result. */
  readonly state: 'running' | 'asking' | 'ok' | 'failed' | 'refused' | 'lost';
  readonly result: Cut | null;
  readonly diff: Diff | null;
  /** Set for an Agent or Task call. */
  readonly subagent: { readonly type: string | null; readonly description: string | null } | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Without the time in which it waited for a person. */
  readonly durationMs: number | null;
  /** How long it waited for an answer to its permission request. */
  readonly waitedMs: number;
}

/** The change made by Edit, MultiEdit, Write or NotebookEdit. */
export interface Diff {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
  /** Whether the file is new; `null` if not known yet: the call writes the whole file, and its current content is unknown. */
  readonly created: boolean | null;
  /** The URL of the full diff as unified text, if `hunks` was cut. */
  readonly more: string | null;
}

/** One hunk of a diff. */
export interface Hunk {
  /** The first line in the old and in the new file, counted from 1; `null` if only the fragment is known. */
  readonly oldStart: number | null;
  readonly newStart: number | null;
  /** Number of unchanged lines omitted before this hunk; `null` if unknown. */
  readonly leftOut: number | null;
  /** Each line starts with ' ', '+' or '-'. */
  readonly lines: readonly string[];
}

/** A report of the CLI: its start, a compaction, a retry, a hook, a task, a state of the session. */
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
  /** How to fix it; '' if no remedy is listed. */
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
  /** The CLI's message for an outcome other than `completed`. */
  readonly message: string;
  /** The person who interrupted the turn in the inspector. */
  readonly by: string | null;
  readonly cost: CostInfo | null;
  readonly durationMs: number | null;
}

/** An action from the inspector, at its position in the transcript. */
export interface AuditNote {
  readonly kind: 'audit';
  readonly audit: AuditEntry;
}
