import type { SystemInit } from 'coxswain/types';

/** The fields of `system/init` that are the same in every session of CLI 2.1.325. */
export const INIT_CONSTANTS: Pick<
  SystemInit,
  | 'output_style'
  | 'plugins'
  | 'capabilities'
  | 'analytics_disabled'
  | 'product_feedback_disabled'
  | 'fast_mode_state'
  | 'fast_mode_disabled_reason'
  | 'per_turn_effort_active'
  | 'ultrathink_available'
  | 'ultrathink_typed_raises'
  | 'view_mode'
> = {
  output_style: 'default',
  plugins: [{ name: 'cc-plugin-agents-md', path: 'builtin', source: 'cc-plugin-agents-md@builtin' }],
  capabilities: [
    'interrupt_receipt_v1',
    'interrupt_cancel_queued_v1',
    'msg_lifecycle_v1',
    'sdk_mcp_tools_list_changed',
  ],
  analytics_disabled: true,
  product_feedback_disabled: true,
  fast_mode_state: 'off',
  fast_mode_disabled_reason: 'sdk_opt_in_required',
  per_turn_effort_active: true,
  ultrathink_available: false,
  ultrathink_typed_raises: false,
  view_mode: 'default',
};
