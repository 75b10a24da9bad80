import type { ChildProcess, SpawnOptions } from 'node:child_process';
import type { Hooks } from '../callbacks/hook-events.ts';
import type { CanUseTool } from '../callbacks/permission-request.ts';
import type { ElicitationAnswer, ElicitationRequest } from '../control/elicitation.ts';
import type { Limits } from '../limits.ts';
import type { Transport } from '../process/transport.ts';
import type { RunEvent } from '../report/events.ts';
import type { Warning } from '../warnings/warning.ts';
import type { Open } from '../wire/kinds.ts';
import type { SdkMcpServer } from './sdk-server.ts';
import type { StandardSchema, StandardSchemaWithJson } from './standard-schema.ts';

/** What the CLI does. */
export interface CliOptions<T = unknown> {
  /** The model: an alias such as `sonnet`, or a full name. */
  readonly model?: string | undefined;
  /** The model to fall back to when the first is overloaded; several, separated by commas, are tried in order. */
  readonly fallbackModel?: string | undefined;
  /** How many turns the agent may take before the run ends with the outcome `max-turns`. */
  readonly maxTurns?: number | undefined;
  /** How many US dollars the run may cost before it ends with the outcome `budget`. */
  readonly maxBudgetUsd?: number | undefined;
  /** How many tokens the task should take; the model is told. */
  readonly taskBudget?: number | undefined;
  /** Replaces Claude Code's system prompt. */
  readonly systemPrompt?: string | undefined;
  /** A file whose text replaces Claude Code's system prompt. */
  readonly systemPromptFile?: string | undefined;
  /** Is added to the system prompt, Claude Code's own or yours. */
  readonly appendSystemPrompt?: string | undefined;
  /** The built-in tools there are; `[]` means none. */
  readonly tools?: readonly string[] | undefined;
  /** Tools and rules that are allowed without asking: `Read`, `Bash(git log *)`. */
  readonly allowedTools?: readonly string[] | undefined;
  /** Tools and rules that are denied, whatever else allows them. */
  readonly disallowedTools?: readonly string[] | undefined;
  /** A JSON file that defines MCP servers. */
  readonly mcpConfigPath?: string | undefined;
  /** MCP servers by name; they never stand on the command line. */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig | SdkMcpServer>> | undefined;
  /** Uses only the MCP servers given here, none from the user's or the project's settings. */
  readonly strictMcpConfig?: boolean | undefined;
  /** What happens to tools no rule covers; left out, `default` where somebody wants to be asked, else settings decide. */
  readonly permissionMode?: PermissionMode | undefined;
  /** The MCP tool that is asked for permissions. */
  readonly permissionPromptTool?: string | undefined;
  /** Must be set for `permissionMode: 'bypassPermissions'`; the CLI refuses it as root outside a sandbox. */
  readonly allowDangerouslySkipPermissions?: boolean | undefined;
  /** The id of the conversation to go on with. */
  readonly resume?: string | undefined;
  /** With `resume`: the uuid of the assistant message after which the conversation is taken up. */
  readonly resumeAt?: string | undefined;
  /** Goes on with the newest conversation of the working directory. */
  readonly continue?: boolean | undefined;
  /** With `resume` or `continue`: leaves the conversation as it is and goes on in a copy. */
  readonly forkSession?: boolean | undefined;
  /** The id of the new conversation, a UUID. */
  readonly sessionId?: string | undefined;
  /** `false` keeps the conversation off the disk; it cannot be resumed then. */
  readonly persistSession?: boolean | undefined;
  /** The working directory; none or an empty one means the host's. */
  readonly cwd?: string | undefined;
  /** Further directories the tools may work in. */
  readonly addDirs?: readonly string[] | undefined;
  /** Settings on top of those on disk: an object, or the path of a JSON file. */
  readonly settings?: string | Readonly<Record<string, unknown>> | undefined;
  /** Which settings on disk are read; `[]` means none, left out means all. */
  readonly settingSources?: readonly SettingSource[] | undefined;
  /** The CLI's sandbox settings; merged into `settings`. */
  readonly sandbox?: Readonly<Record<string, unknown>> | undefined;
  /** Directories of plugins to load. */
  readonly plugins?: readonly (string | { readonly path: string })[] | undefined;
  /** Subagents by name. */
  readonly agents?: Readonly<Record<string, AgentDefinition>> | undefined;
  /** The agent that runs the conversation itself. */
  readonly agent?: string | undefined;
  /** What the answer must look like; `output()` gives it typed and checked. */
  readonly outputSchema?: OutputSchema<T> | undefined;
  /** Sends `stream_event` messages while the model is still writing. */
  readonly includePartialMessages?: boolean | undefined;
  /** Whether the model thinks before it answers, and how much. */
  readonly thinking?: Thinking | undefined;
  /** How many tokens the model may think; 0 turns thinking off. */
  readonly maxThinkingTokens?: number | undefined;
  /** How hard the model tries. */
  readonly effort?: Effort | undefined;
  /** Beta features of the API. */
  readonly betas?: readonly string[] | undefined;
  /** The CLI's debug log: on, or only some categories (`api,hooks`). */
  readonly debug?: boolean | string | undefined;
  /** Further flags, without the dashes: a string is a value, `null` or `true` the bare flag, `false` nothing. */
  readonly extraArgs?: Readonly<Record<string, string | null | boolean>> | undefined;
}

/** How the SDK behaves. */
export interface SdkOptions {
  /** Which CLI runs: `'auto'` finds one (`COXSWAIN_CLI` first), `'pinned'` installs the SDK's own, `'global'` looks in PATH, else a path. */
  readonly cli?: Open<'auto' | 'pinned' | 'bundled' | 'global'> | undefined;
  /** With `cli: 'pinned'`: the release to use instead of the SDK's own choice. */
  readonly cliVersion?: string | undefined;
  /** Environment variables of the CLI, over the inherited ones; `undefined` removes one. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * What the CLI inherits of the host's environment: everything (`true`, the default), the named variables and
   * `PREFIX_*` patterns, or nothing (`false`). Nothing means nothing: PATH and HOME are then yours to give in `env`
   * (Windows itself keeps a few, such as SystemRoot). `CLAUDECODE` and `NODE_OPTIONS` are never inherited.
   */
  readonly inheritEnv?: InheritEnv | undefined;
  /** The API key; only the CLI's process gets it, as `ANTHROPIC_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** How often the CLI tries a failed API call again. */
  readonly maxRetries?: number | undefined;
  /** A configuration directory for the CLI instead of `~/.claude`. */
  readonly configDir?: string | undefined;
  /** Aborting it ends the run with `AbortError`. */
  readonly signal?: AbortSignal | undefined;
  /** How long the whole run, or one turn of a session, may take. Off by default. */
  readonly timeoutMs?: number | undefined;
  /** How long the CLI may be silent. Off by default. */
  readonly idleTimeoutMs?: number | undefined;
  /** The numbers the SDK waits, holds and counts to. */
  readonly limits?: { readonly [K in keyof Limits]?: Limits[K] | undefined } | undefined;
  /** Makes a bad exit after a result a `ProcessError` instead of a warning. */
  readonly strictExit?: boolean | undefined;
  /** Gets the SDK's log lines, redacted. Silent by default. */
  readonly logger?: Logger | undefined;
  /** Called with every event of the run, from the first on. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Called with every warning. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
  /** Called with every line of the CLI's stderr, redacted. */
  readonly onStderr?: ((line: string) => void) | undefined;
  /** Does not look at the CLI's version at all. */
  readonly skipVersionCheck?: boolean | undefined;
  /** Goes on with a warning when the CLI's version cannot be found out. */
  readonly permissiveVersionCheck?: boolean | undefined;
  /** `false` does without the guard process that ends the CLI when the host is killed. */
  readonly orphanGuard?: boolean | undefined;
  /** Talks to the CLI through this instead of a child process; nothing is located or probed then. */
  readonly transport?: Transport | (() => Transport) | undefined;
  /** Replaces `child_process.spawn`, and nothing else. */
  readonly spawn?: SpawnFunction | undefined;
}

/** What only a two-way conversation can do in full. */
export interface TwoWayOptions {
  /** The conversation's title in lists. */
  readonly title?: string | undefined;
  /** Hands on the text of subagents too, not only their tool calls. */
  readonly forwardSubagentText?: boolean | undefined;
  /** Sends a suggestion for the next prompt after each turn. */
  readonly promptSuggestions?: boolean | undefined;
  /** Keeps copies of changed files, so that `rewindFiles` can bring them back. */
  readonly fileCheckpointing?: boolean | undefined;
  /** Callbacks at certain points of a turn: guards, watchers, writers of context. */
  readonly hooks?: Hooks | undefined;
  /** Decides about tools that no rule allows or denies. */
  readonly canUseTool?: CanUseTool | undefined;
  /** Answers what MCP servers ask the user; without it they are told that the user declines. */
  readonly onElicitation?:
    | ((request: ElicitationRequest, signal: AbortSignal) => ElicitationAnswer | Promise<ElicitationAnswer>)
    | undefined;
  /** Sees control requests of the CLI that the SDK does not know; without an object in return they are refused. */
  readonly onControlRequest?:
    | ((request: Readonly<Record<string, unknown>>, signal: AbortSignal) => unknown)
    | undefined;
}

/** The options of queries, sessions, clients and pools. */
export type AgentOptions<T = unknown> = CliOptions<T> & SdkOptions & TwoWayOptions;

/** The name of an option. */
export type OptionName = keyof AgentOptions;

/** What the answer must look like: a schema that knows its JSON Schema, a schema and its JSON Schema, or a JSON Schema alone. */
export type OutputSchema<T = unknown> = StandardSchemaWithJson<T> | SchemaPair<T> | JsonSchema;

/** A schema of a library that cannot write JSON Schema by itself, and its JSON Schema. */
export interface SchemaPair<T = unknown> {
  readonly schema: StandardSchema<T>;
  readonly jsonSchema: object;
}

/** A JSON Schema; only the CLI checks it, so the output is `unknown`. */
export type JsonSchema = (object | { readonly [keyword: string]: unknown }) & {
  readonly '~standard'?: never;
  readonly schema?: never;
  readonly jsonSchema?: never;
};

/** An MCP server that the CLI starts or calls. */
export type McpServerConfig = McpStdioServer | McpRemoteServer;

/** An MCP server that the CLI starts as a process. */
export interface McpStdioServer {
  readonly type?: 'stdio' | undefined;
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** How long a tool call may take, in ms. */
  readonly timeout?: number | undefined;
}

/** An MCP server that the CLI calls over HTTP. */
export interface McpRemoteServer {
  readonly type: 'http' | 'sse';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How long a tool call may take, in ms. */
  readonly timeout?: number | undefined;
}

/** A subagent. */
export interface AgentDefinition {
  /** When to use it; the model reads this. */
  readonly description: string;
  /** Its system prompt. */
  readonly prompt: string;
  readonly tools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  readonly model?: string | undefined;
  /** Names of MCP servers, or servers of its own. */
  readonly mcpServers?: readonly (string | Readonly<Record<string, McpServerConfig>>)[] | undefined;
  readonly skills?: readonly string[] | undefined;
  readonly initialPrompt?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly background?: boolean | undefined;
  readonly memory?: SettingSource | undefined;
  readonly effort?: Effort | undefined;
  readonly permissionMode?: PermissionMode | undefined;
}

/** Where settings lie: the user's, the project's, and the project's that are not shared. */
export type SettingSource = 'user' | 'project' | 'local';

/** What happens to tools that no rule allows or denies. */
export type PermissionMode = Open<'default' | 'acceptEdits' | 'bypassPermissions' | 'plan' | 'dontAsk' | 'auto'>;

/** Whether the model thinks: as it sees fit, always (with a budget), or not at all. */
export type Thinking =
  | { readonly type: 'adaptive' }
  | { readonly type: 'enabled'; readonly budgetTokens?: number | undefined }
  | { readonly type: 'disabled' };

/** How hard the model tries. */
export type Effort = Open<'low' | 'medium' | 'high' | 'xhigh' | 'max'>;

/** What is inherited of the host's environment. */
export type InheritEnv = boolean | readonly string[];

/** A logger of pino's shape. */
export interface Logger {
  trace(fields: object, message: string): void;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The part of `child_process.spawn` that is used. */
export type SpawnFunction = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;
