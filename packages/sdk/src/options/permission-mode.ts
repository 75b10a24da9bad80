import { isJsonObject } from '../wire/kinds.ts';
import type { PermissionMode } from '../wire/permission-mode.ts';
import type { AgentOptions } from './option-types.ts';

/** The modes that the CLI is known to have. */
export const knownModes = ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto'] as const;

/**
 * The permission mode the CLI is started in; `undefined` leaves it to settings on disk and to the CLI itself. Releases
 * 2.1.285 to 2.1.300 choose `auto`, which asks no one, so a caller that wants to be asked gets `default`.
 */
export function guardedMode(options: AgentOptions): PermissionMode | undefined {
  const { permissionMode, canUseTool, permissionPromptTool, hooks } = options;
  if (permissionMode !== undefined) return permissionMode;
  const asks = canUseTool ?? permissionPromptTool ?? hooks?.PermissionRequest;
  return asks === undefined || modeInSettings(options) !== undefined ? undefined : 'default';
}

/** The mode that the caller's own settings set. */
export function modeInSettings({ settings }: AgentOptions): PermissionMode | undefined {
  if (!isJsonObject(settings) || !isJsonObject(settings.permissions)) return undefined;
  const { defaultMode } = settings.permissions;
  return typeof defaultMode === 'string' ? defaultMode : undefined;
}
