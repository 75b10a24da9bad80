import type { SpawnOptions } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Hooks } from '../callbacks/hook-events.ts';
import type { CanUseTool } from '../callbacks/permission-request.ts';
import type { ElicitationAnswer, ElicitationRequest } from '../control/elicitation.ts';
import type { Limits } from '../limits.ts';
import type { Transport } from '../process/transport.ts';
import type { RunEvent } from '../report/events.ts';
import type { RunObserver } from '../report/run-observer.ts';
import type { SessionStore, StoreFailure } from '../store/session-store.ts';
import type { Warning } from '../warnings/warning.ts';
import type { Open } from '../wire/kinds.ts';
import type { PermissionMode } from '../wire/permission-mode.ts';
import type { Effort } from './effort.ts';
import type { AgentMcpServer, McpServerConfig } from './mcp-server-config.ts';
import type { SdkMcpServer } from './sdk-server.ts';

/** Options that control the CLI. */
export interface CliOptions<T = unknown> {
  /** The model: an alias such as `sonnet`, or a full name. */
  readonly model?: string | undefined;
  /** The model to use when the main model is overloaded; a comma-separated list is tried in order. */
  readonly fallbackModel?: string | undefined;
  /** The number of turns after which the run ends with the outcome `max-turns`. */
  readonly maxTurns?: number | undefined;
  /** The cost in US dollars after which the run ends with the outcome `budget`; [what it covers](guides/costs.md#budgets). */
  readonly maxBudgetUsd?: number | undefined;
  /** The number of tokens the task should take; the model receives it. */
  readonly taskBudget?: number | undefined;
  /** Replaces Claude Code's system prompt. When 2.1.325 resumes a conversation, the original prompt stays in effect. */
  readonly systemPrompt?: string | undefined;
  /** A file whose text replaces Claude Code's system prompt. */
  readonly systemPromptFile?: string | undefined;
  /** Text appended to the system prompt, Claude Code's own or yours. Ignored when 2.1.325 resumes a conversation. */
  readonly appendSystemPrompt?: string | undefined;
  /** Which built-in tools are available; `[]` means none. */
  readonly tools?: readonly string[] | undefined;
  /** Tools and rules that are allowed without asking, such as `Read` or `Bash(git log *)`. */
  readonly allowedTools?: readonly string[] | undefined;
  /** Tools and rules that are always denied, even if something else allows them. */
  readonly disallowedTools?: readonly string[] | undefined;
  /** A JSON file that defines MCP servers. */
  readonly mcpConfigPath?: string | undefined;
  /** MCP servers by name, in this process or outside; they never appear on the command line. */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig | SdkMcpServer>> | undefined;
  /** Uses only the MCP servers given here, and none from the user's or the project's settings. */
  readonly strictMcpConfig?: boolean | undefined;
  /**
   * What happens to tool calls that no rule covers. Without it: `default` if `canUseTool`, `permissionPromptTool` or a
   * `PermissionRequest` hook is set, otherwise the mode from the settings.
   */
  readonly permissionMode?: PermissionMode | undefined;
  /** The MCP tool that answers permission requests. */
  readonly permissionPromptTool?: string | undefined;
  /** Required for `permissionMode: 'bypassPermissions'`; the CLI refuses it as root outside a sandbox. */
  readonly allowDangerouslySkipPermissions?: boolean | undefined;
  /** The id of the conversation to continue. */
  readonly resume?: string | undefined;
  /** With `resume`: the uuid of the assistant message after which the conversation continues. */
  readonly resumeAt?: string | undefined;
  /** Continues the newest conversation of the working directory. */
  readonly continue?: boolean | undefined;
  /** With `resume` or `continue`: continues in a copy and leaves the original conversation unchanged. */
  readonly forkSession?: boolean | undefined;
  /** The id of the new conversation, a UUID. */
  readonly sessionId?: string | undefined;
  /** With `false` the conversation is not written to disk and cannot be resumed. */
  readonly persistSession?: boolean | undefined;
  /** The working directory; the host's by default. */
  readonly cwd?: string | undefined;
  /** Additional directories that the tools may work in. */
  readonly addDirs?: readonly string[] | undefined;
  /** Settings that override those on disk: an object, or the path of a JSON file. */
  readonly settings?: string | Readonly<Record<string, unknown>> | undefined;
  /** Which settings on disk are read; `[]` means none. All by default. */
  readonly settingSources?: readonly SettingSource[] | undefined;
  /**
   * The CLI's sandbox settings, which are merged into `settings`. With `enabled: true` the CLI does not start without a
   * working sandbox, unless `failIfUnavailable` is `false`.
   */
  readonly sandbox?: Readonly<Record<string, unknown>> | undefined;
  /** Plugin directories to load. */
  readonly plugins?: readonly (string | { readonly path: string })[] | undefined;
  /** Subagents by name. */
  readonly agents?: Readonly<Record<string, AgentDefinition>> | undefined;
  /** The agent that runs the main conversation. */
  readonly agent?: string | undefined;
  /** The schema of the answer; `output()` returns it typed and validated. */
  readonly outputSchema?: OutputSchema<T> | undefined;
  /** Sends `stream_event` messages while the model is writing. */
  readonly includePartialMessages?: boolean | undefined;
  /** Whether the model thinks before it answers, and how much. */
  readonly thinking?: Thinking | undefined;
  /** The number of tokens the model may use for thinking; 0 turns thinking off. */
  readonly maxThinkingTokens?: number | undefined;
  /** The model's effort level. */
  readonly effort?: Effort | undefined;
  /** Beta features of the API. */
  readonly betas?: readonly string[] | undefined;
  /** Turns on the CLI's debug log, or only some categories of it (`api,hooks`). */
  readonly debug?: boolean | string | undefined;
  /** Additional flags, without the dashes: a string is the value, `null` or `true` passes the bare flag, `false` nothing. */
  readonly extraArgs?: Readonly<Record<string, string | null | boolean>> | undefined;
}

/** Options that control the SDK. */
export interface SdkOptions {
  /**
   * Which CLI runs: `'auto'` finds one (`COXSWAIN_CLI` first), `'pinned'` installs the release this SDK was tested with,
   * `'global'` searches PATH; or a path.
   */
  readonly cli?: Open<'auto' | 'pinned' | 'global'> | undefined;
  /** With `cli: 'pinned'`: the release to install instead of the SDK's choice. */
  readonly cliVersion?: string | undefined;
  /** Environment variables of the CLI, in addition to the inherited ones; `undefined` removes one. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * What the CLI inherits from the host's environment: everything (`true`, the default), the named variables and
   * `PREFIX_*` patterns, or nothing (`false`), not even PATH and HOME: set them in `env` (Windows itself keeps a few, such
   * as SystemRoot). `CLAUDECODE`, `CLAUDE_CODE_CHILD_SESSION`, `CLAUDE_CODE_SIMPLE` and
   * `NODE_OPTIONS` are never inherited.
   */
  readonly inheritEnv?: InheritEnv | undefined;
  /** The API key, which only the CLI process receives, as `ANTHROPIC_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** How often the CLI retries a failed API call. */
  readonly maxRetries?: number | undefined;
  /** A configuration directory for the CLI instead of `~/.claude`. */
  readonly configDir?: string | undefined;
  /** Mirrors the conversation to this store as it grows, and resumes from it on any machine. */
  readonly sessionStore?: SessionStore | undefined;
  /** With `sessionStore`: the `projectKey` of its conversations, which does not depend on the directory. Default: `default`. */
  readonly storeProject?: string | undefined;
  /** With `sessionStore`: what happens when the entries of a turn cannot be stored. Default: `fail`, the turn fails. */
  readonly storeFailure?: StoreFailure | undefined;
  /**
   * With `sessionStore`: keeps a new conversation only in the store. Its CLI gets a private configuration directory,
   * as a CLI that resumes from a store always does, and writes nothing to the user's own. Default: false.
   */
  readonly storeOnly?: boolean | undefined;
  /** Aborting it ends the run with `AbortError`. */
  readonly signal?: AbortSignal | undefined;
  /** How many milliseconds a query, or one turn of a session, may take. Off by default. */
  readonly timeoutMs?: number | undefined;
  /** How many milliseconds the CLI may send nothing. Off by default. */
  readonly idleTimeoutMs?: number | undefined;
  /** Timeouts, and sizes of buffers and queues. */
  readonly limits?: { readonly [K in keyof Limits]?: Limits[K] | undefined } | undefined;
  /** Throws a `ProcessError` instead of warning if the CLI exits abnormally after a result. */
  readonly strictExit?: boolean | undefined;
  /** Receives the SDK's log lines, redacted. Off by default. */
  readonly logger?: Logger | undefined;
  /** Called with every event of the run, from the first one. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Observe the run from its start. The lists of all layers are concatenated, so a client's observers always apply. */
  readonly observers?: readonly RunObserver[] | undefined;
  /** Called with every warning. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
  /** Called with every line of the CLI's stderr, redacted. */
  readonly onStderr?: ((line: string) => void) | undefined;
  /**
   * How the CLI's version is checked: `'warn'` continues with a warning if the version cannot be determined, as sessions
   * always do; `'off'` skips the check.
   */
  readonly versionCheck?: 'warn' | 'off' | undefined;
  /**
   * Runs the CLI and its tools in namespaces of their own, with bubblewrap: they see the system read-only, and may change only the
   * working directory, `addDirs` and the configuration directory. Nothing starts if that is not possible. Linux only.
   */
  readonly isolate?: 'bubblewrap' | IsolateOptions | undefined;
  /** `false` turns off the guard process that ends the CLI if the host is killed. */
  readonly orphanGuard?: boolean | undefined;
  /** Connects to the CLI through this transport instead of a child process; no CLI is searched for or probed. */
  readonly transport?: Transport | (() => Transport) | undefined;
  /** Replaces `child_process.spawn`, and nothing else. */
  readonly spawn?: SpawnFunction | undefined;
}

/** What an isolated CLI can reach, beside its working directory and its configuration directory. */
export interface IsolateOptions {
  /** The path of bubblewrap. Default: `bwrap` in PATH. */
  readonly program?: string | undefined;
  /** More files and folders that it may read: absolute paths. */
  readonly readable?: readonly string[] | undefined;
  /** More files and folders that it may change: absolute paths. */
  readonly writable?: readonly string[] | undefined;
  /**
   * `host`, the default: the network of the machine. `none`: no network, not even loopback addresses of the machine. An object: nothing but
   * the HTTP proxy that listens on the socket file `proxy`, an absolute path; the CLI and its tools get its address in `HTTPS_PROXY`.
   */
  readonly network?: 'host' | 'none' | { readonly proxy: string } | undefined;
}

/** Options of two-way conversations: sessions, and queries that run as a session. */
export interface TwoWayOptions {
  /** The conversation's title in lists. */
  readonly title?: string | undefined;
  /** Sends the text of subagents as well, not only their tool calls. */
  readonly forwardSubagentText?: boolean | undefined;
  /** Sends a suggestion for the next prompt after each turn. */
  readonly promptSuggestions?: boolean | undefined;
  /** Sends a `summary` in `task_progress` messages of subagents that run for more than half a minute: costs a request to the API. */
  readonly agentProgressSummaries?: boolean | undefined;
  /** Replaces the steps that the model gets in plan mode. */
  readonly planModeInstructions?: string | undefined;
  /**
   * Other names for tools: the model's call of `{ Shell: 'Bash' }` runs `Bash`. Rules, hooks and `canUseTool` get the name of the tool
   * that runs.
   */
  readonly toolAliases?: Readonly<Record<string, string>> | undefined;
  /** Keeps copies of changed files, so that `rewindFiles` can restore them. */
  readonly fileCheckpointing?: boolean | undefined;
  /** Callbacks at certain points of a turn, which can observe, block, change input or output, or add context. */
  readonly hooks?: Hooks | undefined;
  /** Decides about tool calls that no rule allows or denies. */
  readonly canUseTool?: CanUseTool | undefined;
  /**
   * Lets answers of `canUseTool`, `answerPermission()` and hooks change permission rules and the permission mode with
   * `updatedPermissions`. Without it such an answer is refused, because answers may come over a network.
   */
  readonly allowPermissionUpdates?: boolean | undefined;
  /** Answers questions that MCP servers ask the user; without it they are declined. */
  readonly onElicitation?:
    | ((request: ElicitationRequest, signal: AbortSignal) => ElicitationAnswer | Promise<ElicitationAnswer>)
    | undefined;
  /** Handles control requests that the SDK does not support; unless it returns an object, they are refused. */
  readonly onControlRequest?:
    | ((request: Readonly<Record<string, unknown>>, signal: AbortSignal) => unknown)
    | undefined;
}

/** The options of queries, sessions, clients and pools. */
export interface AgentOptions<T = unknown> extends CliOptions<T>, SdkOptions, TwoWayOptions {}

/** The name of an option. */
export type OptionName = keyof AgentOptions;

/** The schema of the answer: a schema that carries its JSON Schema, a schema and its JSON Schema, or a JSON Schema alone. */
export type OutputSchema<T = unknown> = StandardSchemaWithJson<T> | SchemaPair<T> | JsonSchema;

/** A schema that does not carry its JSON Schema, together with its JSON Schema. */
export interface SchemaPair<T = unknown> {
  readonly schema: StandardSchema<T>;
  readonly jsonSchema: object;
}

/** A JSON Schema; only the CLI validates against it, so the output is `unknown`. */
export type JsonSchema = (object | { readonly [keyword: string]: unknown }) & {
  readonly '~standard'?: never;
  readonly schema?: never;
  readonly jsonSchema?: never;
};

/** A subagent. */
export interface AgentDefinition {
  /** When to use it; the model reads this. */
  readonly description: string;
  /** Its system prompt. */
  readonly prompt: string;
  readonly tools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  readonly model?: string | undefined;
  /** Names of MCP servers, or definitions of additional ones. */
  readonly mcpServers?: readonly (string | Readonly<Record<string, AgentMcpServer>>)[] | undefined;
  readonly skills?: readonly string[] | undefined;
  readonly initialPrompt?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly background?: boolean | undefined;
  readonly memory?: SettingSource | undefined;
  readonly effort?: Effort | undefined;
  readonly permissionMode?: PermissionMode | undefined;
}

/** Where settings come from: the user's, the project's, and the project's that are not shared. */
export type SettingSource = 'user' | 'project' | 'local';

/** Whether the model thinks: as much as it decides, always (with a budget), or not at all. */
export type Thinking =
  | { readonly type: 'adaptive' }
  | { readonly type: 'enabled'; readonly budgetTokens?: number | undefined }
  | { readonly type: 'disabled' };

/** What the CLI inherits from the host's environment. */
export type InheritEnv = boolean | readonly string[];

/** A logger with the methods of pino. */
export interface Logger {
  trace(fields: object, message: string): void;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The part of `child_process.spawn` that is used. */
export type SpawnFunction = (command: string, args: readonly string[], options: SpawnOptions) => SpawnedProcess;

/**
 * The part of a `ChildProcess` that is used. A process that runs elsewhere may lack `pid`, `stderr` and `unref`; then it
 * is ended only with `kill()`, and its child processes are not found.
 */
export interface SpawnedProcess {
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr?: Readable | null | undefined;
  readonly pid?: number | undefined;
  readonly exitCode?: number | null | undefined;
  readonly signalCode?: string | null | undefined;
  kill(signal?: NodeJS.Signals): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'exit', listener: (code: number | null, signal: string | null) => void): unknown;
  unref?(): unknown;
}

/** A schema of any library that follows Standard Schema v1 (https://standardschema.dev): zod, valibot, arktype, … */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': StandardSchemaProps<Output>;
}

/** A Standard Schema that carries its JSON Schema, like those of zod 4.2 and later. */
export interface StandardSchemaWithJson<Output = unknown> {
  readonly '~standard': StandardSchemaProps<Output> & { readonly jsonSchema: JsonSchemaConverter };
}

/** The properties of a Standard Schema. */
type StandardSchemaProps<Output = unknown> = {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
};

/** The result of validating a value. */
type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One problem that a Standard Schema reports. */
type StandardIssue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
};

/** Converts a schema to JSON Schema; either function throws if it cannot. */
type JsonSchemaConverter = {
  readonly input: (options: { readonly target: string }) => Record<string, unknown>;
  readonly output: (options: { readonly target: string }) => Record<string, unknown>;
};
