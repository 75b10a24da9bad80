import type { PermissionDecision } from '../callbacks/decisions.ts';
import type { PendingPermission } from '../callbacks/permission-request.ts';
import { steadyNow } from '../clock.ts';
import {
  type ContextUsage,
  fieldsOf,
  type InterruptReceipt,
  type McpServerStatus,
  type McpServersChange,
  mcpServerStatuses,
  mcpServersChange,
  type RewindReport,
  rewindReport,
  type SettingsReport,
  wholeServers,
} from '../control/answers.ts';
import {
  type ListedHook,
  type ListedName,
  type ListedRule,
  listedHooks,
  listedRules,
  type McpResourceContent,
  type ReloadedPlugins,
  reloadedPlugins,
  reloadedSkills,
  reloadedStyles,
  resourceContents,
  type TaskOutput,
  taskOutput,
  type UsageReport,
  usageReport,
} from '../control/listings.ts';
import type { Loaded } from '../control/loaded.ts';
import type { RequestOptions } from '../control/pending.ts';
import { askLoaded } from '../conversation/ask-loaded.ts';
import { REQUESTS, type TurnSettings } from '../conversation/turn-settings.ts';
import { CheckpointingNotEnabledError, ControlRequestError } from '../errors/session.ts';
import { checkLateSettings, withServers } from '../options/late-changes.ts';
import type { McpServerConfig } from '../options/mcp-server-config.ts';
import { checkOperation } from '../options/operation.ts';
import type { ParkedRequest } from '../park/parked-request.ts';
import { handledCall } from '../stream/message-stream.ts';
import { warning } from '../warnings/warning.ts';
import type { PermissionMode } from '../wire/permission-mode.ts';
import { KeptOperations, requirementsOf } from './kept-operations.ts';
import { repetitionOf, SET_SERVERS } from './repetition.ts';
import type { RewindOptions } from './session.ts';
import type { NamedRepetition, Operation, SessionCore } from './session-core.ts';

/** Time limit of `rewindFiles`. */
const REWIND_MS = 30_000;

/** A request that every release answers in milliseconds, even during a turn. */
const PING = 'mcp_status';

/** The control operations of a session. */
export abstract class SessionOperations {
  readonly #core: SessionCore;
  /** The operations that a fork repeats. */
  readonly #kept = new KeptOperations();

  constructor(core: SessionCore) {
    this.#core = core;
  }

  interrupt(options: RequestOptions = {}): Promise<InterruptReceipt> {
    return handledCall(async () => {
      return this.#core.interrupt(checkOperation({ options }).options);
    });
  }

  setModel(model: string, options?: RequestOptions): Promise<void> {
    return this.#set('model', model, options);
  }

  setPermissionMode(mode: PermissionMode, options?: RequestOptions): Promise<void> {
    return this.#set('permissionMode', mode, options);
  }

  setMaxThinkingTokens(tokens: number | null, options?: RequestOptions): Promise<void> {
    return this.#set('maxThinkingTokens', tokens, options);
  }

  rewindFiles(turnId: string, options: RewindOptions = {}): Promise<RewindReport> {
    return handledCall(async () => {
      if (!this.#core.conversation.plan.given.fileCheckpointing) throw new CheckpointingNotEnabledError();
      const { dryRun = false, timeoutMs = REWIND_MS, signal } = checkOperation({ rewind: options }).rewind;
      const payload = { user_message_id: turnId, dry_run: dryRun };
      return rewindReport(
        await this.#request('rewind_files', payload, { timeoutMs, signal }),
        this.#core.conversation.redact,
      );
    });
  }

  mcpStatus(options?: RequestOptions): Promise<readonly McpServerStatus[]> {
    return handledCall(async () =>
      mcpServerStatuses(await this.#request('mcp_status', {}, options), this.#core.conversation.redact),
    );
  }

  setMcpServers(
    servers: Readonly<Record<string, McpServerConfig>>,
    options?: RequestOptions,
  ): Promise<McpServersChange> {
    return handledCall(async () => {
      // The current process may be that of a turn with other rules; later ones have those of the session.
      withServers(this.#core.given, servers);
      const { given, servers: copy } = withServers(this.#core.conversation.plan.given, servers);
      const check = requirementsOf(copy, given);
      const payload = { servers: wholeServers(given.mcpServers ?? {}) };
      const answer = await this.#request('mcp_set_servers', payload, options, check);
      await check?.(this.#core.conversation);
      return mcpServersChange(answer, this.#core.conversation.redact);
    });
  }

  reconnectMcpServer(name: string, options?: RequestOptions): Promise<void> {
    return handledCall(async () => void (await this.#request('mcp_reconnect', { serverName: name }, options)));
  }

  toggleMcpServer(name: string, enabled: boolean, options?: RequestOptions): Promise<void> {
    return handledCall(async () => void (await this.#request('mcp_toggle', { serverName: name, enabled }, options)));
  }

  contextUsage(options?: RequestOptions): Promise<ContextUsage> {
    return handledCall(async () => fieldsOf(await this.#request('get_context_usage', {}, options)));
  }

  getSettings(options?: RequestOptions): Promise<SettingsReport> {
    return handledCall(async () => fieldsOf(await this.#request('get_settings', {}, options)));
  }

  applySettings(settings: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<void> {
    return handledCall(async () => {
      const { settings: copy } = checkOperation({ settings });
      const rules = this.#core.conversation.applied.deniesReplacedBy(copy);
      await this.#request('apply_flag_settings', { settings: copy }, options);
      if (rules.length === 0) return;
      const message = `applySettings() replaces the permissions that were applied before, so ${rules.join(', ')} will not be denied. Pass all rules in one list.`;
      this.#core.warn(warning('guard-replaced', message, { option: 'settings', lost: rules.length, rules }));
    });
  }

  loaded(options: RequestOptions = {}): Promise<Loaded> {
    return handledCall(async () => {
      checkOperation({ options });
      return this.#core.ask(
        {
          kind: 'get_settings',
          run: (conversation, terms) =>
            askLoaded({ requests: conversation.operations, cli: conversation.cli }, true, terms),
        },
        options,
      );
    });
  }

  stopTask(taskId: string, options?: RequestOptions): Promise<void> {
    return handledCall(async () => void (await this.#request('stop_task', { task_id: taskId }, options)));
  }

  taskOutput(taskId: string, options?: RequestOptions): Promise<TaskOutput> {
    return this.#ask('get_task_output', { task_id: taskId }, options, taskOutput);
  }

  readMcpResource(server: string, uri: string, options?: RequestOptions): Promise<readonly McpResourceContent[]> {
    return this.#ask('mcp_read_resource', { serverName: server, uri }, options, resourceContents);
  }

  reloadPlugins(options?: RequestOptions): Promise<ReloadedPlugins> {
    return this.#ask('reload_plugins', {}, options, reloadedPlugins);
  }

  reloadSkills(options?: RequestOptions): Promise<readonly ListedName[]> {
    return this.#ask('reload_skills', {}, options, reloadedSkills);
  }

  reloadOutputStyles(options?: RequestOptions): Promise<readonly string[]> {
    return this.#ask('reload_output_styles', {}, options, reloadedStyles);
  }

  usage(options?: RequestOptions): Promise<UsageReport> {
    return this.#ask('get_usage', {}, options, usageReport);
  }

  permissionRules(options?: RequestOptions): Promise<readonly ListedRule[]> {
    return this.#ask('list_permission_rules', {}, options, listedRules);
  }

  configuredHooks(options?: RequestOptions): Promise<readonly ListedHook[]> {
    return this.#ask('get_hooks_listing', {}, options, listedHooks);
  }

  request(subtype: string, payload?: object, options?: RequestOptions): Promise<unknown> {
    return handledCall(() => this.#request(subtype, payload, options));
  }

  parkable(requestId: string): Promise<ParkedRequest> {
    return handledCall(async () => this.#core.conversation.parking.parkable(requestId));
  }

  park(requestId: string): Promise<ParkedRequest> {
    return handledCall(async () => this.#core.park(requestId));
  }

  pendingPermissions(): readonly PendingPermission[] {
    return this.#core.conversation.inbound.permissions.requests();
  }

  answerPermission(id: string, answer: PermissionDecision): Promise<void> {
    return handledCall(async () => this.#core.conversation.inbound.permissions.answer(id, answer));
  }

  ping(options?: RequestOptions): Promise<number> {
    return handledCall(async () => {
      const since = steadyNow();
      await this.#request(PING, {}, options).catch((error: unknown) => {
        // A refusal is also an answer: the CLI responds.
        if (!(error instanceof ControlRequestError)) throw error;
      });
      return Math.round(steadyNow() - since);
    });
  }

  #ask<A>(
    subtype: string,
    payload: object,
    options: RequestOptions | undefined,
    read: (body: unknown) => A,
  ): Promise<A> {
    return handledCall(async () => read(await this.#request(subtype, payload, options)));
  }

  async #request(
    subtype: string,
    payload: object = {},
    options: RequestOptions = {},
    check?: NamedRepetition['check'],
  ): Promise<unknown> {
    const checked = checkOperation({ payload, options });
    const found = repetitionOf(subtype, checked.payload);
    const repeat = check && found && 'name' in found ? { ...found, check } : found;
    const applies = subtype === 'apply_flag_settings';
    if (applies) checkLateSettings(this.#core.conversation.plan.given, fieldsOf(payload).settings);
    const operation: Operation<unknown> = {
      kind: subtype,
      run: async ({ applied, operations, settings }, terms) => {
        if (applies) return applied.apply(checked.payload, terms);
        const answer = await operations.request(subtype, checked.payload, terms);
        if (repeat && 'settings' in repeat) settings.note(repeat.settings);
        return answer;
      },
    };
    const answer = await this.#core.ask(operation, checked.options, repeat);
    if (repeat && 'name' in repeat) this.#kept.keep(operation, repeat);
    return answer;
  }

  /** Repeats the changes of the session from which it was forked, unless it has its own servers. @throws the CLI's refusal */
  async repeatChanges(original: SessionOperations, hasServers: boolean): Promise<void> {
    for (const { operation, repeat } of original.#kept) {
      if (hasServers && repeat.name === SET_SERVERS) continue;
      await this.#core.ask(operation, {}, repeat);
      await repeat.check?.(this.#core.conversation);
      this.#kept.keep(operation, repeat);
    }
  }

  #set<N extends keyof TurnSettings>(
    name: N,
    value: NonNullable<TurnSettings[N]> | null,
    options: RequestOptions = {},
  ): Promise<void> {
    return handledCall(async () => {
      checkOperation({ options, ...(value !== null && { [name]: value }) });
      const operation: Operation<void> = {
        kind: REQUESTS[name][0],
        run: (conversation, terms) => conversation.settings.choose(name, value, terms),
      };
      return this.#core.ask(operation, options, { settings: { [name]: value } });
    });
  }
}
