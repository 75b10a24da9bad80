import {
  type CanUseTool,
  decideLater,
  type PermissionContext,
  type PermissionRequest,
  type PermissionResult,
} from 'coxswain';

/** Decides some requests itself, and leaves the others to people by returning nothing. */
export type FirstSay = (
  request: PermissionRequest,
  context: PermissionContext,
) => PermissionResult | undefined | Promise<PermissionResult | undefined>;

/**
 * For the option `canUseTool`: leaves permissions, questions and plans to the people at the inspector. The turn waits for
 * their answer. `first` may decide some of them in the program.
 */
export function askInspector(first?: FirstSay): CanUseTool {
  return async (request, context) => (await first?.(request, context)) ?? decideLater();
}
