import type { Redactor } from '../redact.ts';
import type { RequestOptions } from './pending.ts';

/** The outcome of an interrupt. */
export interface InterruptReceipt {
  /** Prompts that were waiting in the CLI and will still run, by uuid. Releases before 2.1.325 do not say. */
  readonly stillQueued: readonly string[];
}

/** What rewinding files did, or would do. */
export interface RewindReport {
  readonly canRewind: boolean;
  readonly error?: string;
  /** These three with `dryRun` only. */
  readonly filesChanged?: readonly string[];
  readonly insertions?: number;
  readonly deletions?: number;
  /** Links that were left as they are. */
  readonly skippedLinks?: number;
}

/** An MCP server as the CLI sees it. */
export interface McpServerStatus {
  readonly name: string;
  readonly status: string;
  readonly error?: string;
  readonly [field: string]: unknown;
}

/** What changed when MCP servers were set. */
export interface McpServersChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly errors: Readonly<Record<string, string>>;
}

/** How the context window is used. */
export interface ContextUsage {
  readonly totalTokens?: number;
  readonly maxTokens?: number;
  readonly percentage?: number;
  readonly categories?: readonly unknown[];
  readonly [field: string]: unknown;
}

/** The settings in force, and where each comes from. */
export interface SettingsReport {
  readonly effective?: Readonly<Record<string, unknown>>;
  readonly sources?: readonly unknown[];
  readonly applied?: { readonly model?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** Sends one control request and resolves with the body of the answer, whose shape depends on the release. */
export type Request = (subtype: string, payload: object, options: RequestOptions) => Promise<unknown>;

/** The operations that are one request and one answer. Answers are read with care: releases differ. */
export class Operations {
  readonly #request: Request;
  readonly #redact: Redactor;

  /** `redact` removes secrets from the errors that the CLI reports. */
  constructor(request: Request, redact: Redactor) {
    this.#request = request;
    this.#redact = redact;
  }

  /** Undefined when the CLI does not say which prompts still wait. */
  async interrupt(options: RequestOptions = {}): Promise<InterruptReceipt | undefined> {
    const { still_queued: queued } = fields(await this.#request('interrupt', {}, options));
    return queued === undefined ? undefined : { stillQueued: strings(queued) };
  }

  /** Withdraws a message that was sent while a turn ran; false when the CLI has already read it. */
  async cancelMessage(uuid: string, options: RequestOptions = {}): Promise<boolean> {
    return fields(await this.#request('cancel_async_message', { message_uuid: uuid }, options)).cancelled === true;
  }

  async setModel(model: string, options: RequestOptions = {}): Promise<void> {
    await this.#request('set_model', { model }, options);
  }

  async setPermissionMode(mode: string, options: RequestOptions = {}): Promise<void> {
    await this.#request('set_permission_mode', { mode }, options);
  }

  async setMaxThinkingTokens(tokens: number | null, options: RequestOptions = {}): Promise<void> {
    await this.#request('set_max_thinking_tokens', { max_thinking_tokens: tokens }, options);
  }

  async rewindFiles(userMessageId: string, dryRun: boolean, options: RequestOptions = {}): Promise<RewindReport> {
    const body = fields(
      await this.#request('rewind_files', { user_message_id: userMessageId, dry_run: dryRun }, options),
    );
    return { ...body, ...this.#shownError(body), canRewind: body.canRewind === true };
  }

  async mcpStatus(options: RequestOptions = {}): Promise<readonly McpServerStatus[]> {
    const servers: unknown = fields(await this.#request('mcp_status', {}, options)).mcpServers;
    const known = Array.isArray(servers) ? servers.filter(isServerStatus) : [];
    return known.map((server) => ({ ...server, ...this.#shownError(server) }));
  }

  async setMcpServers(
    servers: Readonly<Record<string, object>>,
    options: RequestOptions = {},
  ): Promise<McpServersChange> {
    // 2.1.325 accepts a stdio server without `args` on its command line, but not here.
    const whole = Object.entries(servers).map(([name, server]) => [
      name,
      'command' in server ? { args: [], ...server } : server,
    ]);
    const body = fields(await this.#request('mcp_set_servers', { servers: Object.fromEntries(whole) }, options));
    const errors = stringFields(body.errors).map(([name, error]) => [name, this.#redact(error)]);
    return { added: strings(body.added), removed: strings(body.removed), errors: Object.fromEntries(errors) };
  }

  async reconnectMcpServer(serverName: string, options: RequestOptions = {}): Promise<void> {
    await this.#request('mcp_reconnect', { serverName }, options);
  }

  async toggleMcpServer(serverName: string, enabled: boolean, options: RequestOptions = {}): Promise<void> {
    await this.#request('mcp_toggle', { serverName, enabled }, options);
  }

  async contextUsage(options: RequestOptions = {}): Promise<ContextUsage> {
    return fields(await this.#request('get_context_usage', {}, options));
  }

  async getSettings(options: RequestOptions = {}): Promise<SettingsReport> {
    return fields(await this.#request('get_settings', {}, options));
  }

  async applySettings(settings: object, options: RequestOptions = {}): Promise<void> {
    await this.#request('apply_flag_settings', { settings }, options);
  }

  async stopTask(taskId: string, options: RequestOptions = {}): Promise<void> {
    await this.#request('stop_task', { task_id: taskId }, options);
  }

  #shownError({ error }: Readonly<Record<string, unknown>>): { error?: string } {
    return typeof error === 'string' ? { error: this.#redact(error) } : {};
  }
}

function fields(body: unknown): Record<string, unknown> {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body } : {};
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

function stringFields(value: unknown): [name: string, text: string][] {
  const text = (entry: unknown): string => (typeof entry === 'string' ? entry : JSON.stringify(entry));
  return Object.entries(fields(value)).map(([name, entry]) => [name, text(entry)]);
}

function isServerStatus(value: unknown): value is McpServerStatus {
  const server = fields(value);
  return typeof server.name === 'string' && typeof server.status === 'string';
}
