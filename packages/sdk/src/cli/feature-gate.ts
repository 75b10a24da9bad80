import { type NewerDecision, SUPPORTED_SINCE } from '../callbacks/abilities.ts';
import type { AgentOptions, OptionName } from '../options/option-types.ts';
import { requiresSandbox } from '../options/sandbox.ts';
import { ownServers } from '../options/sdk-server.ts';
import { isOlder, type VersionNeed } from './version.ts';

/** The features that the options of any run use besides flags. */
export function runNeeds(options: AgentOptions): VersionNeed[] {
  return requiresSandbox(options) ? needOf('sandbox', 'query:sandbox') : [];
}

/** The features that the options of a session use besides flags. */
export function sessionNeeds(options: AgentOptions): VersionNeed[] {
  const byOption = OPTION_FEATURES.flatMap(([option, feature, isAsked = isGiven]) =>
    isAsked(options[option]) ? needOf(option, feature) : [],
  );
  const events = Object.entries(options.hooks ?? {}).flatMap(([event, hooks]) => (isGiven(hooks) ? [event] : []));
  return [...byOption, ...events.flatMap((event) => needOf(`hooks.${event}`, `hook:${event}`))];
}

/** The first release with a feature, when the given version is known to be older. */
export function releaseNeeded(feature: string, found: string | undefined): string | undefined {
  const since = sinceOf(feature);
  return isOlder(found, since) ? since : undefined;
}

/**
 * Whether a release ignores a decision of a hook. An unknown version counts as ignoring it: every release since 2.0.19
 * reports its version before the first hook.
 */
export function ignoresDecision(version: string | undefined, decision: NewerDecision): boolean {
  return version === undefined || isOlder(version, SUPPORTED_SINCE[decision]);
}

/** Options of a session that go into `initialize` or the environment, where an older CLI ignores them. */
export const OPTION_FEATURES: readonly (readonly [OptionName, string, ((given: unknown) => boolean)?])[] = [
  ['systemPrompt', 'session:systemPrompt'],
  ['appendSystemPrompt', 'session:appendSystemPrompt'],
  ['agents', 'session:agents', (agents) => Object.keys(Object(agents)).length > 0],
  ['outputSchema', 'session:schema'],
  ['forkSession', 'session:fork', Boolean],
  ['title', 'session:title'],
  ['forwardSubagentText', 'session:forwardSubagentText', Boolean],
  ['promptSuggestions', 'session:promptSuggestions', Boolean],
  ['fileCheckpointing', 'rewind_files', Boolean],
  ['mcpServers', 'sdk-tools', (servers) => Object.keys(ownServers(Object(servers))).length > 0],
];

function isGiven(value: unknown): boolean {
  return value !== undefined;
}

function needOf(option: string, feature: string): VersionNeed[] {
  const since = sinceOf(feature);
  return since === undefined ? [] : [{ option, since }];
}

function sinceOf(feature: string): string | undefined {
  const table = Object.hasOwn(KEEPS_SETTINGS_SINCE, feature) ? KEEPS_SETTINGS_SINCE : FEATURES_SINCE;
  return Object.hasOwn(table, feature) ? table[feature] : undefined;
}

/**
 * The first release that answers a request and keeps the settings of a file that is gone by then. They are not in the table of
 * releases: conformance/callbacks measures the tested ones. For the second, the releases between 2.1.197 and 2.1.290 are unknown.
 */
const KEEPS_SETTINGS_SINCE: Readonly<Record<string, string>> = {
  'get_settings:private': '2.1.229',
  'apply_flag_settings:private': '2.1.290',
};

/** The first release with a feature, where not every release that runs sessions has it. Measured. */
export const FEATURES_SINCE: Readonly<Record<string, string>> = {
  'query:sandbox': '2.1.83',
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
  'get_context_usage:summary': '2.1.257',
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
