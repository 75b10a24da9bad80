import {
  type CallbackContext,
  type CanUseTool,
  decideLater,
  type PermissionRequest,
  type PermissionResult,
} from 'coxswain';

/** Decides some requests in the program. If it returns nothing, a person decides. */
export type DecideFirst = (
  request: PermissionRequest,
  context: CallbackContext,
) => PermissionResult | undefined | Promise<PermissionResult | undefined>;

/**
 * For the option `canUseTool`: permissions, questions and plans are decided by people in the inspector. The turn waits for
 * their answer. `first` may decide some of them in the program.
 */
export function askInspector(first?: DecideFirst): CanUseTool {
  return async (request, context) => (await first?.(request, context)) ?? decideLater();
}
