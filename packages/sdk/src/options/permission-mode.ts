import { isJsonObject } from '../wire/kinds.ts';
import type { PermissionMode } from '../wire/permission-mode.ts';
import type { AgentOptions } from './option-types.ts';

/**
 * The permission mode the CLI is started in; `undefined` leaves the choice to settings on disk and the CLI. Releases
 * 2.1.285 to 2.1.300 choose `auto`, which never asks, so a caller with a permission callback gets `default`.
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
