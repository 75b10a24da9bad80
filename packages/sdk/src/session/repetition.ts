import { fieldsOf } from '../control/answers.ts';
import { isJsonObject } from '../wire/kinds.ts';
import type { Repetition } from './session-core.ts';

/** The name under which `setMcpServers()` is repeated. */
export const SET_SERVERS = 'setMcpServers';

/** How the change of a control request is repeated on the next CLI; `undefined` if it has no lasting effect. */
export function repetitionOf(subtype: string, payload: object): Repetition | undefined {
  const { settings, serverName, mode, model, max_thinking_tokens: tokens } = fieldsOf(payload);
  switch (subtype) {
    case 'apply_flag_settings': {
      const names = isJsonObject(settings) ? Object.keys(settings).sort() : [];
      return { name: `applySettings ${names.join(', ')}`, guards: names.some((name) => GUARDS.has(name)) };
    }
    case 'mcp_set_servers':
      // Servers must be set before one of them is disabled, even when they are set again.
      return { name: SET_SERVERS, keepsPlace: true };
    case 'mcp_toggle':
      return { name: `toggleMcpServer ${String(serverName)}` };
    case 'set_permission_mode':
      return typeof mode === 'string' ? { settings: { permissionMode: mode } } : undefined;
    case 'set_model':
      return typeof model === 'string' ? { settings: { model } } : undefined;
    case 'set_max_thinking_tokens':
      return typeof tokens === 'number' ? { settings: { maxThinkingTokens: tokens } } : undefined;
    default:
      return undefined;
  }
}

/** The settings that may contain guards. */
const GUARDS: ReadonlySet<string> = new Set(['permissions', 'sandbox', 'hooks']);
