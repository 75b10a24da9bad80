/** What a conversation has changed in files, by its tools. Changes by commands are not known. */
export interface ChangesPage {
  /** The folder of the agent, which relative paths are relative to. */
  readonly folder: string | null;
  /** By path. */
  readonly files: readonly ChangedFile[];
  /** Number of edits omitted because there are too many. */
  readonly leftOut: number;
}

/** One file. */
export interface ChangedFile {
  readonly path: string;
  /** The lines of the merged diff. */
  readonly added: number;
  readonly removed: number;
  /** Whether the conversation created the file; `null` if unknown. */
  readonly created: boolean | null;
  /** Whether all edits are merged. If not, the file was also changed otherwise, or the place of an edit is unknown. */
  readonly merged: boolean;
  /** In order. */
  readonly edits: readonly FileEdit[];
}

/** One call that changed a file. */
export interface FileEdit {
  /** The number of its tool entry. */
  readonly entry: number;
  readonly at: number | null;
  readonly tool: string;
  readonly added: number;
  readonly removed: number;
  /** The task of the subagent that made it; `null` in the main conversation. */
  readonly agent: string | null;
  readonly why: Explanation | null;
}

/** The last text before an edit: of the agent, or else of the person. */
export interface Explanation {
  readonly kind: 'text' | 'thinking' | 'prompt' | 'task';
  /** One line. */
  readonly text: string;
  readonly entry: number;
}
