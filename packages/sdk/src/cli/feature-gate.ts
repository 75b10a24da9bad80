import { type NewerDecision, SUPPORTED_SINCE } from '../callbacks/abilities.ts';
import type { AgentOptions, OptionName } from '../options/option-types.ts';
import { isOlder, type VersionNeed } from './version.ts';

/** The features other than flags that a session's options use. */
export function sessionNeeds(options: AgentOptions): VersionNeed[] {
  const byOption = OPTION_FEATURES.flatMap(([option, feature]) =>
    options[option] === undefined || options[option] === false ? [] : needOf(option, feature),
  );
  const events = Object.entries(options.hooks ?? {}).flatMap(([event, hooks]) => (hooks === undefined ? [] : [event]));
  return [...byOption, ...events.flatMap((event) => needOf(`hooks.${event}`, `hook:${event}`))];
}

/** The first release with a feature, if the given version is known to be older. */
export function releaseNeeded(feature: string, found: string | undefined): string | undefined {
  const since = sinceOf(feature);
  return isOlder(found, since) ? since : undefined;
}

/** Whether a release ignores a hook's decision. An unknown version is assumed to ignore it. */
export function ignoresDecision(version: string | undefined, decision: NewerDecision): boolean {
  return version === undefined || isOlder(version, SUPPORTED_SINCE[decision]);
}

/** Session options that are sent in `initialize`, where an older CLI ignores them. */
export const OPTION_FEATURES: readonly (readonly [OptionName, string])[] = [
  ['systemPrompt', 'session:systemPrompt'],
  ['title', 'session:title'],
  ['forwardSubagentText', 'session:forwardSubagentText'],
  ['planModeInstructions', 'session:planModeInstructions'],
  ['toolAliases', 'session:toolAliases'],
];

function needOf(option: string, feature: string): VersionNeed[] {
  const since = sinceOf(feature);
  return since === undefined ? [] : [{ option, since }];
}

function sinceOf(feature: string): string | undefined {
  const table = Object.hasOwn(KEEPS_SETTINGS_SINCE, feature) ? KEEPS_SETTINGS_SINCE : FEATURES_SINCE;
  return Object.hasOwn(table, feature) ? table[feature] : undefined;
}

/**
 * The first release that answers a request and keeps the settings from a file that has been removed by then. They are not in
 * the table of releases: conformance/callbacks measures the tested ones. For the second, the releases between 2.1.197 and
 * 2.1.290 were not measured.
 */
const KEEPS_SETTINGS_SINCE: Readonly<Record<string, string>> = {
  'get_settings:private': '2.1.229',
  'apply_flag_settings:private': '2.1.290',
};

/**
 * Whether the CLI reads its settings file again when a settings file on disk changes, and drops those settings if the
 * file is missing, as 2.1.197 does. Assumed for an unknown version.
 */
export function rereadsSettings(version: string | undefined): boolean {
  return version === undefined || isOlder(version, KEEPS_SETTINGS_SINCE['get_settings:private']);
}

/** The first release with a feature that some supported releases lack. Measured. */
export const FEATURES_SINCE: Readonly<Record<string, string>> = {
  'session:systemPrompt': '2.1.110',
  'session:forwardSubagentText': '2.1.119',
  'session:planModeInstructions': '2.1.118',
  'session:toolAliases': '2.1.142',
  'session:title': '2.1.113',
  'session:clear': '2.1.129',
  'get_context_usage:summary': '2.1.257',
  get_binary_version: '2.1.119',
  get_session_cost: '2.1.118',
  get_usage: '2.1.169',
  background_tasks: '2.1.139',
  rename_session: '2.1.149',
  file_suggestions: '2.1.124',
  list_models: '2.1.198',
  list_permission_rules: '2.1.269',
  get_hooks_listing: '2.1.269',
  reload_skills: '2.1.163',
  reload_output_styles: '2.1.261',
  mcp_read_resource: '2.1.279',
  get_task_output: '2.1.287',
  'hook:PostToolBatch': '2.1.118',
  'hook:SessionEnd': '2.1.117',
  'hook:MessageDisplay': '2.1.152',
  'hook:PreModelSwitch': '2.1.251',
  'hook:PostModelSwitch': '2.1.251',
};
