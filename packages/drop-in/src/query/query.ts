import type { Message } from 'coxswain';
import { openRawSession, type RawSession } from 'coxswain/raw';
import type { JsonObject } from 'coxswain/types';
import type * as control from '../declarations/control.ts';
import type { McpServerConfig } from '../declarations/mcp.ts';
import type { SDKMessage, SDKUserMessage } from '../declarations/messages.ts';
import type { Options, PermissionMode, SdkPluginConfig } from '../declarations/options.ts';
import type { Query } from '../declarations/query.ts';
import type { SDKControlGetContextUsageResponse, SDKControlGetUsageResponse } from '../declarations/usage.ts';
import { closedError, isEndOfSession, notWritableError, refusedError, serversNotAppliedError } from '../errors.ts';
import { commandFor } from '../start/command.ts';
import { environmentFor } from '../start/environment.ts';
import { flagsFor } from '../start/flags.ts';
import { handshakeFor } from '../start/handshake.ts';
import { launchFor } from '../start/launch.ts';
import { ownServerSettings, ownServers } from '../start/servers.ts';
import { Starter } from '../start/starter.ts';
import { limitsFor, warn } from '../start/tuning.ts';
import { requestHandler } from './callbacks.ts';
import { Input } from './input.ts';
import { QueryMessages } from './messages.ts';
import { StoredQuery } from './stored.ts';

type Prompt = string | AsyncIterable<SDKUserMessage>;

/**
 * One query: its messages and its control methods. A flat class without private names, so that wrappers can copy its methods and
 * proxies can replace it; without `then`, so that it can be awaited.
 */
export class LiveQuery implements Query {
  private readonly session: RawSession;
  private readonly messages: QueryMessages;
  private readonly input: Input;
  private readonly initializeFields: Readonly<Record<string, unknown>>;
  private initialized: Promise<JsonObject>;
  private commands: unknown;
  private tellSessionId: (id: string) => void = () => {};
  private readonly firstSessionId = new Promise<string>((resolve) => {
    this.tellSessionId = resolve;
  });

  constructor(options: Options, initializeTimeoutMs?: number) {
    const command = commandFor(options);
    const { fields, hooks } = handshakeFor(options);
    this.initializeFields = fields;
    const { own } = ownServers(options.mcpServers);
    const { spawnClaudeCodeProcess, canUseTool, onElicitation, onUserDialog } = options;
    const callbacks = hooks.size > 0 || Boolean(canUseTool ?? onElicitation ?? onUserDialog);
    const limits = limitsFor(initializeTimeoutMs, options.loadTimeoutMs);
    const { sessionStore } = options;
    const stored = sessionStore && new StoredQuery(sessionStore, options, limits);
    const flags = flagsFor(options, { inline: spawnClaudeCodeProcess !== undefined });
    const starter = new Starter(options);
    this.session = openRawSession({
      ...launchFor(command, flags, options, starter.spawn, stored ? [(request) => stored.prepare(request)] : []),
      env: environmentFor(options),
      cwd: options.cwd ?? undefined,
      initialize: fields,
      onRequest: requestHandler(options, hooks),
      answersAtOnce: callbacks,
      onFrame: (frame, rawJson) => this.arrived(frame, rawJson),
      onStderr: options.stderr,
      limits,
      onWarning: ({ code, message }) => warn(code, message),
    });
    if (starter.thrown) throw starter.thrown.error;
    // After the start, because creating the first one takes a moment.
    for (const [name, { instance }] of Object.entries(own)) this.session.addToolServer(name, instance);
    const blocking = Object.values(options.hooks ?? {}).flat();
    const holds = blocking.some((matcher) => matcher?.onFailure === 'block');
    this.input = new Input(this.session, {
      answers: () => callbacks || this.session.toolServers.length > 0,
      verbatimPrompts: options.verbatimPrompts === true,
      ready: holds ? this.session.handshake : Promise.resolve(),
    });
    const { session, input } = this;
    const source = { session, input, stored, command, limits };
    this.messages = new QueryMessages(source, options.abortController?.signal);
    this.initialized = this.handshake();
    this.initialized.catch(() => {});
  }

  next(): Promise<IteratorResult<SDKMessage, void>> {
    return this.messages.next();
  }

  async return(value?: void | PromiseLike<void>): Promise<IteratorResult<SDKMessage, void>> {
    this.close();
    return { done: true, value: await value };
  }

  async throw(error: unknown): Promise<IteratorResult<SDKMessage, void>> {
    this.close();
    throw error;
  }

  /** A separate iterator, like that of a generator that wraps the query. */
  [Symbol.asyncIterator](): AsyncGenerator<SDKMessage, void> {
    const iterator: AsyncGenerator<SDKMessage, void> = {
      next: () => this.next(),
      return: (value) => this.return(value),
      throw: (error) => this.throw(error),
      [Symbol.asyncIterator]: () => iterator,
      [Symbol.asyncDispose]: () => this[Symbol.asyncDispose](),
    };
    return iterator;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    await this.messages.ended;
  }

  close(): void {
    if (this.messages.finished) return;
    this.messages.finish();
    void this.session.close();
  }

  interrupt(): Promise<control.SDKControlInterruptResponse | undefined> {
    return this.ask('interrupt');
  }

  async setPermissionMode(mode: PermissionMode): Promise<void> {
    await this.ask('set_permission_mode', { mode });
  }

  setMcpPermissionModeOverride(serverName: string, mode: 'default' | 'auto' | null): Promise<{ warning?: string }> {
    return this.ask('set_mcp_permission_mode_override', { serverName, mode });
  }

  async setModel(model?: string): Promise<void> {
    await this.ask('set_model', { model });
  }

  async setMaxThinkingTokens(maxThinkingTokens: number | null, thinkingDisplay?: string | null): Promise<void> {
    const display = thinkingDisplay === undefined ? {} : { thinking_display: thinkingDisplay };
    await this.ask('set_max_thinking_tokens', { max_thinking_tokens: maxThinkingTokens, ...display });
  }

  async applyFlagSettings(settings: object): Promise<void> {
    await this.ask('apply_flag_settings', { settings });
  }

  async updateSettings(source: 'localSettings' | 'userSettings', settings: Record<string, unknown>): Promise<void> {
    await this.ask('update_settings', { source, settings });
  }

  async initializationResult(): Promise<control.SDKControlInitializeResponse> {
    // The CLI's complete answer, in any release.
    return (await this.initialized) as unknown as control.SDKControlInitializeResponse;
  }

  async reinitialize(): Promise<control.SDKControlInitializeResponse> {
    const answer = this.ask<JsonObject>('initialize', this.initializeFields);
    const whole = await answer;
    this.initialized = Promise.resolve(whole);
    return this.initializationResult();
  }

  async supportedCommands(): Promise<control.SlashCommand[]> {
    const { commands } = await this.initializationResult();
    return Array.isArray(this.commands) ? this.commands : commands;
  }

  async supportedModels(): Promise<control.ModelInfo[]> {
    return (await this.initializationResult()).models;
  }

  async supportedAgents(): Promise<control.AgentInfo[]> {
    return (await this.initializationResult()).agents;
  }

  async accountInfo(): Promise<control.AccountInfo> {
    return (await this.initializationResult()).account;
  }

  async mcpServerStatus(): Promise<control.McpServerStatus[]> {
    return (await this.ask<{ mcpServers: control.McpServerStatus[] }>('mcp_status')).mcpServers;
  }

  getContextUsage(options?: { detail?: 'summary' | 'full' }): Promise<SDKControlGetContextUsageResponse> {
    return this.ask('get_context_usage', { detail: options?.detail });
  }

  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(options?: {
    skipBehaviors?: boolean;
  }): Promise<SDKControlGetUsageResponse> {
    return this.ask('get_usage', { skip_behaviors: options?.skipBehaviors });
  }

  /** `null` if the file cannot be read, as in the official SDK. */
  async readFile(
    path: string,
    options: { maxBytes?: number; encoding?: 'utf-8' | 'base64' } = {},
  ): Promise<control.SDKControlReadFileResponse | null> {
    try {
      return await this.ask('read_file', { path, max_bytes: options.maxBytes, encoding: options.encoding });
    } catch {
      return null;
    }
  }

  reloadPlugins(
    options: { holdOnCacheImpact?: boolean; addPlugins?: SdkPluginConfig[]; refuseIfBusy?: boolean } = {},
  ): Promise<control.SDKControlReloadPluginsResponse> {
    const { holdOnCacheImpact, addPlugins, refuseIfBusy } = options;
    return this.ask('reload_plugins', {
      hold_on_cache_impact: holdOnCacheImpact,
      add_plugins: addPlugins,
      refuse_if_busy: refuseIfBusy,
    });
  }

  reloadSkills(): Promise<control.SDKControlReloadSkillsResponse> {
    return this.ask('reload_skills');
  }

  reloadOutputStyles(): Promise<control.SDKControlReloadOutputStylesResponse> {
    return this.ask('reload_output_styles');
  }

  rewindFiles(userMessageId: string, options: { dryRun?: boolean } = {}): Promise<control.RewindFilesResult> {
    return this.ask('rewind_files', { user_message_id: userMessageId, dry_run: options.dryRun });
  }

  async seedReadState(path: string, mtime: number): Promise<void> {
    await this.ask('seed_read_state', { path, mtime });
  }

  async reconnectMcpServer(serverName: string): Promise<void> {
    await this.ask('mcp_reconnect', { serverName });
  }

  async toggleMcpServer(serverName: string, enabled: boolean): Promise<void> {
    await this.ask('mcp_toggle', { serverName, enabled });
  }

  readMcpResource(serverName: string, uri: string): Promise<control.SDKControlMcpReadResourceResponse> {
    return this.ask('mcp_read_resource', { serverName, uri });
  }

  async setMcpServers(servers: Record<string, McpServerConfig>): Promise<control.McpSetServersResult> {
    const { own, external } = ownServers(servers);
    for (const name of this.session.toolServers) if (!(name in own)) void this.session.removeToolServer(name);
    for (const [name, { instance }] of Object.entries(own)) this.session.addToolServer(name, instance);
    const internal = Object.entries(own).map(([name, server]) => [
      name,
      { type: 'sdk', name, ...ownServerSettings(server) },
    ]);
    return this.ask('mcp_set_servers', { servers: { ...external, ...Object.fromEntries(internal) } });
  }

  async streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void> {
    const isWritten = await this.input.stream(stream).catch(async (error: unknown) => {
      throw isEndOfSession(error) ? notWritableError(error) : error;
    });
    if (!isWritten && !this.messages.aborted) throw notWritableError();
  }

  async stopTask(taskId: string): Promise<void> {
    await this.ask('stop_task', { task_id: taskId });
  }

  async backgroundTasks(toolUseId?: string): Promise<boolean> {
    const { backgrounded } = await this.ask<{ backgrounded?: boolean }>('background_tasks', { tool_use_id: toolUseId });
    return backgrounded ?? true;
  }

  /** Not declared by the official SDK, but used by clients. */
  cancelAsyncMessage(uuid: string): Promise<unknown> {
    return this.ask('cancel_async_message', { message_uuid: uuid });
  }

  /** Not declared by the official SDK, but used by clients. */
  getSettings(): Promise<unknown> {
    return this.ask('get_settings');
  }

  /** Not declared by the official SDK, but used by clients. */
  async generateSessionTitle(description: string, options: { persist?: boolean } = {}): Promise<unknown> {
    const { persist } = options;
    return (await this.ask<{ title?: unknown }>('generate_session_title', { description, persist })).title;
  }

  /** Not declared by the official SDK, but used by clients. */
  mcpAuthenticate(serverName: string, redirectUri?: string): Promise<unknown> {
    return this.ask('mcp_authenticate', { serverName, redirectUri });
  }

  /** Not declared by the official SDK, but used by clients. */
  enableRemoteControl(enabled: boolean, name?: string): Promise<unknown> {
    return this.ask('remote_control', { enabled, name });
  }

  /** Sends any control request: `{ subtype, …fields }`. */
  request(inner: { subtype: string; [field: string]: unknown }, options?: { signal?: AbortSignal }): Promise<unknown> {
    const { subtype, ...fields } = inner;
    return this.ask(subtype, fields, options?.signal);
  }

  /** Sends the prompt of the query after `prepared`. Called once. */
  begin(prompt: Prompt, prepared: Promise<unknown> = Promise.resolve()): void {
    const abort = (cause: unknown): void => this.messages.abort(cause);
    const threw = (cause: unknown): void => this.messages.inputThrew(cause);
    const write = (): Promise<unknown> =>
      typeof prompt === 'string' ? this.input.text(prompt) : this.input.stream(prompt, threw);
    // If writing fails, the process reports the reason itself.
    prepared.then(write, abort).catch(() => this.input.abandon());
  }

  /** Settles when the process has exited. */
  get exited(): Promise<void> {
    return this.messages.ended.then(() => {});
  }

  /** The id of the conversation, once the CLI has reported it. */
  get sessionId(): Promise<string> {
    return this.firstSessionId;
  }

  private arrived(frame: Message, rawJson: string): void {
    if ('session_id' in frame && typeof frame.session_id === 'string') this.tellSessionId(frame.session_id);
    if ('subtype' in frame && frame.subtype === 'commands_changed' && 'commands' in frame)
      this.commands = frame.commands;
    this.messages.arrived(frame, rawJson);
  }

  private async handshake(): Promise<JsonObject> {
    const answer = await this.session.handshake.catch(async (error) => {
      throw refusedError(error, 'initialize') ?? (await this.messages.failure()) ?? closedError(error);
    });
    if (this.initializeFields.mcpServers === undefined || answer.mcp_servers_applied === true) return answer;
    const error = serversNotAppliedError(answer.claude_code_version);
    this.messages.fail(error);
    throw error;
  }

  /** Sends a control request. The caller declares the type of the answer. */
  private async ask<R>(subtype: string, fields: object = {}, signal?: AbortSignal): Promise<R> {
    const { refusal } = this.messages;
    if (refusal) throw refusal;
    try {
      return (await this.session.request(subtype, fields, { signal })) as R;
    } catch (error) {
      throw refusedError(error, subtype) ?? (await this.reasonOf(error));
    }
  }

  /** Why a request has no answer: how the query ended, if it did. */
  private async reasonOf(error: unknown): Promise<unknown> {
    if (!isEndOfSession(error)) return error;
    if (this.messages.finished) return closedError(error);
    return (await this.messages.failure()) ?? closedError(error);
  }
}
