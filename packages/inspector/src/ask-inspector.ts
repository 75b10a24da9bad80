import {
  type CallbackContext,
  type CanUseTool,
  decideLater,
  type PermissionRequest,
  type PermissionResult,
} from 'coxswain';

/** Decides some requests; for the others it returns nothing, and a person decides. */
export type FirstSay = (
  request: PermissionRequest,
  context: CallbackContext,
) => PermissionResult | undefined | Promise<PermissionResult | undefined>;

/**
 * For the option `canUseTool`: leaves permissions, questions and plans to people in the inspector. The turn waits for
 * their answer. `first` may decide some of them in the program.
 */
export function askInspector(first?: FirstSay): CanUseTool {
  return async (request, context) => (await first?.(request, context)) ?? decideLater();
}
