/** The oldest CLI that runs a one-shot query: 0.2.114, the release before, prints another format. Measured. */
export const MINIMUM_QUERY_VERSION = '0.2.118';

/** The oldest CLI that runs the turns of a session: 1.0.85, the release before, cannot say whose turn it is. Measured. */
export const MINIMUM_SESSION_VERSION = '1.0.86';

/** The oldest CLI the whole suite runs on: what it has is not asked about before a run, but beside it. */
export const USUAL_VERSION = '2.1.197';

/** The release that first has a feature of sessions, where that is not every one that runs them. Measured. */
export const FEATURES_SINCE: Readonly<Record<string, string>> = {
  'session:schema': '2.0.50',
  'session:systemPrompt': '2.1.110',
  'session:appendSystemPrompt': '2.0.56',
  'session:agents': '2.0.56',
  'session:forwardSubagentText': '2.1.119',
  'session:title': '2.1.113',
  'session:promptSuggestions': '2.1.48',
  'session:fork': '2.0.73',
  'session:clear': '2.1.129',
  set_model: '1.0.112',
  set_max_thinking_tokens: '2.0.22',
  rewind_files: '2.0.64',
  mcp_status: '1.0.122',
  mcp_set_servers: '2.0.70',
  mcp_reconnect: '2.1.21',
  mcp_toggle: '2.1.21',
  get_context_usage: '2.1.86',
  get_settings: '2.1.72',
  apply_flag_settings: '2.1.50',
  stop_task: '2.1.45',
  cancel_async_message: '2.1.76',
  end_session: '2.1.72',
  get_binary_version: '2.1.119',
  get_session_cost: '2.1.118',
  get_usage: '2.1.169',
  background_tasks: '2.1.139',
  reload_plugins: '2.1.85',
  rename_session: '2.1.149',
  file_suggestions: '2.1.124',
  generate_session_title: '2.1.74',
  side_question: '2.1.79',
  list_models: '2.1.198',
  list_permission_rules: '2.1.269',
  get_hooks_listing: '2.1.269',
  'hook:PostToolUseFailure': '2.1.41',
  'hook:PostToolBatch': '2.1.118',
  'hook:PermissionRequest': '2.1.21',
  'hook:StopFailure': '2.1.78',
  'hook:SubagentStart': '2.0.44',
  'hook:PreCompact': '2.0.22',
  'hook:PostCompact': '2.1.76',
  'hook:SessionEnd': '2.1.117',
  'hook:MessageDisplay': '2.1.152',
  'hook:PreModelSwitch': '2.1.251',
  'hook:PostModelSwitch': '2.1.251',
  'sdk-tools': '1.0.119',
};
