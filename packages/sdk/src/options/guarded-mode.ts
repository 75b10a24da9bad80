import { isJsonObject } from '../wire/kinds.ts';
import type { AgentOptions, PermissionMode } from './groups.ts';

/**
 * The permission mode the CLI is started in, where it is not left to settings on disk and to the CLI itself: releases
 * 2.1.285 to 2.1.300 choose `auto`, in which nobody is asked. Whoever wants to be asked must be.
 */
export function guardedMode(options: AgentOptions): PermissionMode | undefined {
  const { permissionMode, canUseTool, permissionPromptTool, hooks } = options;
  if (permissionMode !== undefined) return permissionMode;
  const asks = canUseTool ?? permissionPromptTool ?? hooks?.PermissionRequest;
  return asks === undefined || modeInSettings(options) !== undefined ? undefined : 'default';
}

/** The mode that the caller's own settings ask for. */
export function modeInSettings({ settings }: AgentOptions): PermissionMode | undefined {
  if (!isJsonObject(settings) || !isJsonObject(settings.permissions)) return undefined;
  const { defaultMode } = settings.permissions;
  return typeof defaultMode === 'string' ? defaultMode : undefined;
}
