import type { JsonObject, UnknownKind } from '../wire/kinds.ts';

/**
 * The input of each tool. Add the tools of your own servers by declaration merging, and hooks and permission requests
 * narrow to them: `declare module 'coxswain' { interface ToolInputs { mcp__files__move: { from: string } } }`.
 */
export interface ToolInputs {
  Agent: AgentToolInput;
  AskUserQuestion: AskUserQuestionInput;
  Bash: BashInput;
  Edit: EditInput;
  ExitPlanMode: ExitPlanModeInput;
  Glob: GlobInput;
  Grep: GrepInput;
  NotebookEdit: NotebookEditInput;
  Read: ReadInput;
  Skill: SkillInput;
  /** The older name of `Agent`; releases use both. */
  Task: AgentToolInput;
  TodoWrite: TodoWriteInput;
  WebFetch: WebFetchInput;
  WebSearch: WebSearchInput;
  Write: WriteInput;
}

/** A tool that has a type in {@link ToolInputs}. */
export type KnownTool = keyof ToolInputs & string;

/** A tool of an MCP server: `mcp__<server>__<tool>`. */
export type McpToolName = `mcp__${string}`;

/** A tool without a type here. Once one MCP tool is declared, code can name only declared MCP tools. */
export type OtherTool = UnknownKind | ([Extract<KnownTool, McpToolName>] extends [never] ? McpToolName : never);

/** The input of a tool, by its name. */
export type ToolInputOf<Name extends string> = Name extends KnownTool ? ToolInputs[Name] : JsonObject;

/** A shell command. */
export type BashInput = {
  readonly command: string;
  readonly description?: string;
  /** In ms. */
  readonly timeout?: number;
  readonly run_in_background?: boolean;
  readonly dangerouslyDisableSandbox?: boolean;
};

/** A file to read. Hooks and permission requests get an absolute path. */
export type ReadInput = {
  readonly file_path: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly pages?: string;
  readonly allow_large?: boolean;
};

/** A file to write. */
export type WriteInput = {
  readonly file_path: string;
  readonly content: string;
};

/** A text to replace in a file. */
export type EditInput = {
  readonly file_path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
};

/** A notebook cell to change. */
export type NotebookEditInput = {
  readonly notebook_path: string;
  readonly new_source: string;
  readonly cell_id?: string;
  readonly cell_type?: 'code' | 'markdown';
  readonly edit_mode?: 'replace' | 'insert' | 'delete';
};

/** Files to find by name. */
export type GlobInput = {
  readonly pattern: string;
  readonly path?: string;
};

/** Files to find by content. */
export type GrepInput = {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly type?: string;
  readonly output_mode?: 'content' | 'files_with_matches' | 'count';
  readonly '-A'?: number;
  readonly '-B'?: number;
  readonly '-C'?: number;
  readonly '-i'?: boolean;
  readonly '-n'?: boolean;
  readonly head_limit?: number;
  readonly multiline?: boolean;
};

/** A page to fetch, and the question to answer from it. */
export type WebFetchInput = {
  readonly url: string;
  readonly prompt: string;
};

/** A web search. */
export type WebSearchInput = {
  readonly query: string;
  readonly allowed_domains?: readonly string[];
  readonly blocked_domains?: readonly string[];
};

/** A task for a subagent. */
export type AgentToolInput = {
  readonly description: string;
  readonly prompt: string;
  readonly subagent_type?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly run_in_background?: boolean;
  readonly isolation?: string;
};

/** A skill to load. */
export type SkillInput = {
  readonly skill: string;
  readonly args?: string;
};

/** The model's to-do list. */
export type TodoWriteInput = {
  readonly todos: readonly {
    readonly content: string;
    readonly status: 'pending' | 'in_progress' | 'completed';
    readonly activeForm: string;
  }[];
};

/** Questions to the user. */
export type AskUserQuestionInput = {
  readonly questions: readonly UserQuestion[];
  readonly answers?: Readonly<Record<string, string>>;
  readonly annotations?: JsonObject;
  readonly metadata?: JsonObject;
};

/** One question to the user, with its choices. */
export interface UserQuestion {
  readonly question: string;
  readonly header: string;
  readonly options: readonly { readonly label: string; readonly description: string; readonly preview?: string }[];
  readonly multiSelect: boolean;
}

/** A plan to approve. Newer releases keep it in a file instead. */
export type ExitPlanModeInput = {
  readonly plan?: string;
  readonly allowedPrompts?: readonly JsonObject[];
};
