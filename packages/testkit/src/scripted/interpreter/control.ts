import { type JsonObject, type JsonValue, objectOf } from '../../json.ts';
import type { RequestAnswer } from '../script-data.ts';
import { type Respond, sendAnswer } from './answers.ts';
import { reportOpenTasks, stopTask } from './background.ts';
import { rewindFiles } from './checkpoints.ts';
import type { Conversation } from './conversation.ts';
import { lifecycle } from './endings.ts';
import { reach } from './faults.ts';
import { modelUsage } from './frames/usage.ts';
import { parseHooks } from './hook-registration.ts';
import { initializeResponse, modelList } from './initialize.ts';
import { listings } from './listings.ts';
import { addServer, fromServer } from './mcp.ts';
import type { McpServer } from './mcp-server.ts';
import { switchModel } from './model-switch.ts';
import { PERMISSION_MODES, setPermissionMode } from './permission-mode.ts';
import { withdrawRequests } from './requests.ts';
import { reportState } from './session-state.ts';

/** Answers a request of the host; refuses an unknown one with a code. */
export function handleControlRequest(conversation: Conversation, id: JsonValue | undefined, request: JsonObject): void {
  const subtype = String(request.subtype);
  const handle = Object.hasOwn(handlers, subtype) ? handlers[subtype] : undefined;
  reach(conversation, `request:${subtype}`);
  if (conversation.ended) return;
  const reply: Respond = {
    success: (response, extra = {}) =>
      sendAnswer(conversation, subtype, {
        subtype: 'success',
        request_id: id,
        ...(response && { response }),
        ...extra,
      }),
    error: (error, extra = {}) =>
      sendAnswer(conversation, subtype, { subtype: 'error', request_id: id, error, ...extra }),
  };
  const { answers } = conversation.script.cli;
  const scripted = Object.hasOwn(answers, subtype) ? answers[subtype] : undefined;
  if (scripted) answerAsScripted(scripted, reply);
  else if (handle) handle(conversation, request, reply);
  else reply.error(`Unsupported control request subtype: ${subtype}`, { error_code: 'unsupported_request' });
}

function answerAsScripted(answer: RequestAnswer, reply: Respond): void {
  if (!('error' in answer)) return reply.success(answer.response);
  reply.error(answer.error, answer.errorCode === undefined ? {} : { error_code: answer.errorCode });
}

/** Interrupts the running turn; `between` runs after its requests are withdrawn and before its last messages. */
export function interruptTurn(conversation: Conversation, between: () => void): void {
  if (conversation.turnTask) withdrawRequests(conversation);
  between();
  if (conversation.turnTask) conversation.tasks.interrupt(conversation.turnTask);
}

type Handler = (conversation: Conversation, request: JsonObject, reply: Respond) => void;

const handlers: Readonly<Record<string, Handler>> = {
  initialize,
  interrupt,
  end_session: endSession,
  set_model(conversation, request, reply) {
    conversation.tasks.start(switchModel(conversation, request.model, reply));
  },
  set_permission_mode: changePermissionMode,
  set_max_thinking_tokens: setMaxThinkingTokens,
  mcp_message(conversation, request, reply) {
    reply.success();
    fromServer(conversation, request.server_name, request.message);
  },
  mcp_status(conversation, _request, reply) {
    reply.success({ mcpServers: [...conversation.mcpServers.values()].map(serverStatus) });
  },
  mcp_set_servers: setMcpServers,
  mcp_reconnect: withServer((conversation, name, reply) => {
    conversation.mcpServers.delete(name);
    addServer(conversation, name);
    reply.success();
  }),
  mcp_toggle: withServer((conversation, name, reply, request) => {
    const server = conversation.mcpServers.get(name);
    if (server) server.status = request.enabled === true ? 'connected' : 'disabled';
    reply.success();
  }),
  get_settings(conversation, _request, reply) {
    const { world, model } = conversation;
    const settings = { ...world.settings, ...conversation.settings };
    const sources = Object.keys(settings).length > 0 ? [{ source: 'flagSettings', settings }] : [];
    reply.success({ effective: settings, sources, applied: { model, effort: 'medium' } });
  },
  apply_flag_settings(conversation, request, reply) {
    conversation.settings = { ...conversation.settings, ...objectOf(request.settings) };
    reply.success();
  },
  stop_task(conversation, request, reply) {
    stopTask(conversation, String(request.task_id));
    reply.success({});
    if (conversation.state === 'idle') reportState(conversation, 'idle', { again: true });
  },
  background_tasks(_conversation, _request, reply) {
    reply.success({});
  },
  get_context_usage(conversation, _request, reply) {
    const tokens = [...conversation.modelUsage.values()].reduce((sum, usage) => sum + usage.inputTokens, 0);
    const categories = [{ id: 'messages', name: 'Messages', tokens, color: 'purple', kind: 'used' }];
    const maxTokens = 1_000_000;
    const totals = { totalTokens: tokens, maxTokens, rawMaxTokens: maxTokens, percentage: tokens / maxTokens };
    reply.success({ categories, ...totals, model: conversation.model, gridRows: [] });
  },
  get_session_cost(conversation, _request, reply) {
    reply.success({ text: `Total cost:            $${conversation.totalCostUsd.toFixed(4)}` });
  },
  get_usage({ totalCostUsd, totalApiMs, modelUsage: models }, _request, reply) {
    const session = {
      total_cost_usd: totalCostUsd,
      total_api_duration_ms: totalApiMs,
      total_lines_added: 0,
      total_lines_removed: 0,
      model_usage: modelUsage(models),
    };
    reply.success({ session, subscription_type: null, rate_limits_available: false, rate_limits: null });
  },
  get_binary_version(conversation, _request, reply) {
    reply.success({ version: conversation.script.cli.version, buildTime: '2026-11-13T18:52:23Z' });
  },
  list_models(conversation, _request, reply) {
    reply.success({ models: modelList(conversation) });
  },
  cancel_async_message(conversation, request, reply) {
    const at = conversation.prompts.findIndex(({ uuid }) => uuid === request.message_uuid);
    const [cancelled] = at < 0 ? [] : conversation.prompts.splice(at, 1);
    if (cancelled) lifecycle(conversation, cancelled.uuid, 'cancelled');
    reply.success({ cancelled: cancelled !== undefined });
  },
  rename_session(conversation, request, reply) {
    conversation.emit({ type: 'system', subtype: 'session_title_changed', title: request.title });
    reply.success();
  },
  rewind_files: rewindFiles,
  ...listings,
};

function initialize(conversation: Conversation, request: JsonObject, reply: Respond): void {
  if (conversation.ignored.has('initialize')) return;
  const hooks = parseHooks(request.hooks);
  if (hooks === undefined) {
    reply.error(
      'initialize: hooks must map hook events to arrays of matchers carrying hookCallbackIds arrays and string matchers',
    );
    return;
  }
  const again = conversation.initialized !== undefined || conversation.resultCount > 0;
  conversation.hooks = hooks;
  conversation.initialized = request;
  // The first message to a server precedes the answer.
  const servers = Array.isArray(request.sdkMcpServers) ? request.sdkMcpServers.map(String) : [];
  for (const name of servers) addServer(conversation, name);
  const pending = { pending_permission_requests: [], pending_user_dialog_requests: [] };
  reply.success(initializeResponse(conversation, hooks.length > 0), pending);
  // After a repeated or late `initialize` the CLI reports its open tasks.
  if (again) reportOpenTasks(conversation);
}

function interrupt(conversation: Conversation, request: JsonObject, reply: Respond): void {
  if (conversation.ignored.has('interrupt')) return;
  const cancelled = request.cancel_queued === true ? conversation.prompts.splice(0) : [];
  for (const { uuid } of cancelled) lifecycle(conversation, uuid, 'cancelled');
  const uuids = (prompts: typeof cancelled): string[] => prompts.flatMap(({ uuid }) => uuid ?? []);
  const receipt = {
    still_queued: uuids(conversation.prompts),
    ...(request.cancel_queued === true && { cancelled: uuids(cancelled) }),
  };
  interruptTurn(conversation, () => reply.success(receipt));
}

function endSession(conversation: Conversation, _request: JsonObject, reply: Respond): void {
  if (conversation.ignored.has('end_session')) return;
  interruptTurn(conversation, () => reply.success());
  conversation.exit(conversation.lastResultFailed ? 1 : 0);
}

function changePermissionMode(conversation: Conversation, request: JsonObject, reply: Respond): void {
  const mode = String(request.mode);
  if (mode === 'bypassPermissions' && !conversation.args.flags.has('--allow-dangerously-skip-permissions')) {
    const error =
      'Cannot set permission mode to bypassPermissions because the session was not launched with --dangerously-skip-permissions';
    reply.error(error, { error_code: 'bypass_not_launched' });
    return;
  }
  if (!PERMISSION_MODES.includes(mode)) {
    const error = `Cannot set permission mode: must be one of ${PERMISSION_MODES.join(', ')}`;
    reply.error(error, { error_code: 'invalid_mode' });
    return;
  }
  reply.success({ mode });
  setPermissionMode(conversation, mode);
}

function setMaxThinkingTokens(_conversation: Conversation, request: JsonObject, reply: Respond): void {
  const tokens = request.max_thinking_tokens;
  if (tokens === null || Number.isInteger(tokens)) reply.success();
  else reply.error('set_max_thinking_tokens: max_thinking_tokens must be an integer or null');
}

function setMcpServers(conversation: Conversation, request: JsonObject, reply: Respond): void {
  const wanted = Object.keys(objectOf(request.servers) ?? {});
  const present = [...conversation.mcpServers.keys()];
  const removed = present.filter((name) => !wanted.includes(name));
  const added = wanted.filter((name) => !present.includes(name));
  for (const name of removed) conversation.mcpServers.delete(name);
  reply.success({ added, removed, errors: {} });
  for (const name of added) addServer(conversation, name);
}

function withServer(
  act: (conversation: Conversation, name: string, reply: Respond, request: JsonObject) => void,
): Handler {
  return (conversation, request, reply) => {
    const name = request.serverName;
    if (typeof name !== 'string') reply.error(`${request.subtype}: serverName must be a string`);
    else if (!conversation.mcpServers.has(name)) reply.error(`Server not found: ${name}`);
    else act(conversation, name, reply, request);
  };
}

function serverStatus({ name, status, info, tools }: McpServer): JsonObject {
  const offered = tools.map((tool) => ({ name: tool.name, annotations: tool.annotations }));
  const connected = status === 'connected' ? { serverInfo: info, tools: offered } : {};
  return { name, status, transport: 'sdk', scope: 'dynamic', source: 'sdk', ...connected };
}
