import { type LateOutcome, OBEYED_SINCE } from '../hooks/obeyed.ts';
import type { AgentOptions, OptionName } from '../options/groups.ts';
import { ownServers } from './external-servers.ts';
import { FEATURES_SINCE } from './minimum.ts';
import { compareVersions } from './version.ts';

/** Something that not every release has. */
export interface VersionNeed {
  /** The option that asks for it: `effort`, `hooks.PostToolBatch`. */
  readonly option: string;
  /** The flag it becomes, if it is one. */
  readonly flag?: string | undefined;
  readonly since: string;
}

/** What the options of a session need besides flags. */
export function sessionNeeds(options: AgentOptions): VersionNeed[] {
  const byOption = OPTION_FEATURES.flatMap(([option, feature, isAsked = isGiven]) =>
    isAsked(options[option]) ? needOf(option, feature) : [],
  );
  const events = Object.entries(options.hooks ?? {}).flatMap(([event, hooks]) => (isGiven(hooks) ? [event] : []));
  return [...byOption, ...events.flatMap((event) => needOf(`hooks.${event}`, `hook:${event}`))];
}

/** The feature that an option asks of a session. */
export function sessionFeatureOf(option: string): string | undefined {
  return OPTION_FEATURES.find(([name]) => name === option)?.[1];
}

/** The release that has a feature, when the found one is known to be older. */
export function releaseNeeded(feature: string, found: string | undefined): string | undefined {
  const since = sinceOf(feature);
  return since !== undefined && found !== undefined && compareVersions(found, since) < 0 ? since : undefined;
}

/**
 * What a release ignores in the answers of hooks. One that does not tell its version may ignore it all: every release
 * since 2.0.19 tells it before it asks about a tool.
 */
export function outcomesLackedBy(version: string | undefined): ReadonlySet<LateOutcome> {
  return new Set(LATE_OUTCOMES.filter((id) => version === undefined || compareVersions(version, OBEYED_SINCE[id]) < 0));
}

// Object.keys forgets the names.
const LATE_OUTCOMES = Object.keys(OBEYED_SINCE) as readonly LateOutcome[];

/** Options of a session that go into the handshake or the environment, where an older CLI would overlook them. */
const OPTION_FEATURES: readonly (readonly [OptionName, string, ((given: unknown) => boolean)?])[] = [
  ['systemPrompt', 'session:systemPrompt'],
  ['appendSystemPrompt', 'session:appendSystemPrompt'],
  ['agents', 'session:agents', (agents) => Object.keys(Object(agents)).length > 0],
  ['outputSchema', 'session:schema'],
  ['forkSession', 'session:fork', Boolean],
  ['title', 'session:title'],
  ['forwardSubagentText', 'session:forwardSubagentText', Boolean],
  ['promptSuggestions', 'session:promptSuggestions', Boolean],
  ['fileCheckpointing', 'rewind_files', Boolean],
  ['canUseTool', 'canUseTool'],
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
  return Object.hasOwn(FEATURES_SINCE, feature) ? FEATURES_SINCE[feature] : undefined;
}
