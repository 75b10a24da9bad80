import { isObject } from '@coxswain/shared/is-object';
import type { RawRequest, RawRequestContext } from 'coxswain/raw';
import type { HookInput } from '../declarations/hook-inputs.ts';
import type { HookCallback } from '../declarations/hooks.ts';
import type { Options } from '../declarations/options.ts';

/** Answers the requests of the CLI with the callbacks of the options. The output of a callback is passed on completely. */
export function requestHandler(options: Options, hooks: ReadonlyMap<string, HookCallback>) {
  // Not async, here and in `callHook()`: the session awaits the promise of the callback itself, and reports what is thrown.
  return (request: RawRequest, context: RawRequestContext): unknown => {
    switch (request.subtype) {
      case 'hook_callback':
        return callHook(request, context, hooks);
      case 'can_use_tool':
        return askPermission(request, context, options);
      case 'elicitation':
        return elicit(request, context, options);
      case 'request_user_dialog':
        return askDialog(request, context, options);
      default:
        return undefined;
    }
  };
}

function callHook(
  request: RawRequest,
  { signal }: RawRequestContext,
  hooks: ReadonlyMap<string, HookCallback>,
): unknown {
  const hook = hooks.get(String(request.callback_id));
  if (!hook) throw new Error(`No hook callback found for ID: ${request.callback_id}`);
  // The input comes from the CLI: its fields depend on the event and the release.
  return hook(request.input as HookInput, textOf(request.tool_use_id), { signal });
}

/** The official names of the fields; those of fields that are not listed differ in the case only. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['permission_suggestions', 'suggestions'],
  ['agent_id', 'agentID'],
  ['blocked_path', 'blockedPath'],
  ['decision_reason', 'decisionReason'],
  ['display_name', 'displayName'],
  ['title', 'title'],
  ['description', 'description'],
]);

const NOT_PASSED: ReadonlySet<string> = new Set(['subtype', 'tool_name', 'input', 'tool_use_id']);

async function askPermission(
  request: RawRequest,
  { id: requestId, signal }: RawRequestContext,
  { canUseTool }: Options,
): Promise<unknown> {
  if (!canUseTool) throw new Error('canUseTool callback is not provided.');
  const toolUseID = textOf(request.tool_use_id) ?? '';
  const about: Record<string, unknown> = {};
  // A loop, because this is called for each permission.
  for (const name of Object.keys(request)) {
    const value = request[name];
    if (value !== undefined && !NOT_PASSED.has(name)) about[NAMES.get(name) ?? camelCase(name)] = nested(value);
  }
  const input = isObject(request.input) ? request.input : {};
  const context = Object.assign(about, { signal, toolUseID, requestId });
  const answer: unknown = await canUseTool(String(request.tool_name), input, context);
  if (answer === null) return null;
  return { ...(isObject(answer) ? answer : {}), toolUseID };
}

async function elicit(
  request: RawRequest,
  { id: requestId, signal }: RawRequestContext,
  { onElicitation }: Options,
): Promise<unknown> {
  if (!onElicitation) return { action: 'decline' };
  const { subtype: _, property_order: __, mcp_server_name, message, ...rest } = request;
  const more = Object.entries(rest).map(([name, value]) => [camelCase(name), value]);
  const asked = { ...Object.fromEntries(more), serverName: String(mcp_server_name), message: String(message) };
  return onElicitation(asked, { signal, requestId });
}

async function askDialog(
  request: RawRequest,
  { id: requestId, signal }: RawRequestContext,
  { onUserDialog }: Options,
): Promise<unknown> {
  // Another client of the session may show the dialog.
  if (!onUserDialog) return null;
  const toolUseID = textOf(request.tool_use_id);
  return onUserDialog(
    {
      dialogKind: String(request.dialog_kind),
      payload: isObject(request.payload) ? request.payload : {},
      ...(toolUseID === undefined ? {} : { toolUseID }),
    },
    { signal, requestId },
  );
}

/** Also converts the field names of `matched_ask_rule`; the content of a rule or a server is data. */
function nested(value: unknown): unknown {
  if (!isObject(value) || !('tool_name' in value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [camelCase(name), inner]));
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
