import { arrayField, field, stringField } from '../messages/fields.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { isJsonObject, type Open } from '../wire/kinds.ts';

/**
 * The origin of a loaded setting, file, server, plugin, skill or agent: the user's configuration directory, the project, its
 * unshared part, the administrator, a plugin, or the options of the run.
 */
export type LoadedFrom = Open<'user' | 'project' | 'local' | 'managed' | 'plugin' | 'options'>;

/** The configuration that a session has loaded from the machine, the project and the options. */
export interface Loaded {
  /** The loaded settings, with the names of the fields that each source sets. */
  readonly settings: readonly { readonly from: LoadedFrom; readonly fields: readonly string[] }[];
  /** The hooks in these settings. Plugins may add more. */
  readonly hooks: readonly { readonly from: LoadedFrom; readonly event: string; readonly matcher: string | null }[];
  readonly mcpServers: readonly { readonly from: LoadedFrom; readonly name: string; readonly status: string }[];
  /** Files such as `CLAUDE.md` and their imports. */
  readonly memory: readonly { readonly from: LoadedFrom; readonly path: string }[];
  /** The plugins enabled in the settings and, once a turn has started, all others except the CLI's own. */
  readonly plugins: readonly { readonly from: LoadedFrom; readonly name: string }[];
  /** Skills and custom commands, except the CLI's own. */
  readonly skills: readonly { readonly from: LoadedFrom; readonly name: string }[];
  readonly agents: readonly { readonly from: LoadedFrom; readonly name: string }[];
  /** The requests that the CLI did not answer; the corresponding lists are empty. */
  readonly unanswered: readonly string[];
}

/** The CLI's answers; `undefined` for an unanswered request. */
export interface LoadedAnswers {
  readonly get_settings: unknown;
  readonly mcp_status: unknown;
  readonly get_context_usage: unknown;
}

/** Builds the report from the CLI's answers; `plugins` are those of the last `system/init`. */
export function loadedIn(answers: LoadedAnswers, plugins: readonly unknown[]): Loaded {
  const { get_settings, mcp_status, get_context_usage } = answers;
  const sources = arrayField(get_settings, 'sources').map((source) => ({
    from: placeOf(stringField(source, 'source')),
    settings: field(source, 'settings'),
  }));
  return {
    settings: sources.map(({ from, settings }) => ({
      from,
      fields: Object.keys(isJsonObject(settings) ? settings : {}),
    })),
    hooks: sources.flatMap(({ from, settings }) => hooksIn(settings).map((hook) => ({ from, ...hook }))),
    mcpServers: named(mcp_status, 'mcpServers', 'name').map(({ name, entry }) => ({
      from: placeOf(stringField(entry, 'source') ?? stringField(entry, 'scope')),
      name,
      status: stringField(entry, 'status') ?? '',
    })),
    memory: named(get_context_usage, 'memoryFiles', 'path').map(({ name, entry }) => ({
      from: placeOf(stringField(entry, 'type')),
      path: name,
    })),
    plugins: pluginsIn(sources, plugins),
    skills: ofPlaces(named(field(get_context_usage, 'skills'), 'skillFrontmatter', 'name')),
    agents: ofPlaces(named(get_context_usage, 'agents', 'agentType')),
    unanswered: Object.entries(answers).flatMap(([request, answer]) => (answer === undefined ? [request] : [])),
  };
}

/** Warns about configuration from the machine or the project that `settingSources` does not include. */
export function unrequested(loaded: Loaded, settingSources: readonly string[] | undefined): Warning | undefined {
  const { unanswered: _, ...lists } = loaded;
  const found = Object.entries(lists).flatMap(([what, list]) => {
    const from = list.map((entry) => entry.from).filter((place) => FROM_DISK.includes(place));
    const unasked = [...new Set(from)].filter((place) => !settingSources?.includes(place));
    return unasked.length > 0 ? [[what, unasked] as const] : [];
  });
  if (found.length === 0) return undefined;
  const list = found.map(([what, from]) => `${WORDS.get(what) ?? what} (${from.join(', ')})`).join(', ');
  const message = `The CLI has loaded configuration that the options do not include: ${list}. Set settingSources: [] for none, or list the sources to load; session.loaded() lists everything.`;
  return warning('unrequested-configuration', message, Object.fromEntries(found));
}

const FROM_DISK: readonly string[] = ['user', 'project', 'local'];

const WORDS: ReadonlyMap<string, string> = new Map([
  ['mcpServers', 'MCP servers'],
  ['memory', 'CLAUDE.md files'],
]);

/** The CLI's names of the origins, which differ between its lists. */
const PLACES: ReadonlyMap<string, LoadedFrom> = new Map([
  ['usersettings', 'user'],
  ['projectsettings', 'project'],
  ['localsettings', 'local'],
  ['flagsettings', 'options'],
  ['policysettings', 'managed'],
  ['enterprise', 'managed'],
  ['dynamic', 'options'],
  ['sdk', 'options'],
  ['inline', 'options'],
]);

function placeOf(name = 'unknown'): LoadedFrom {
  const lower = name.toLowerCase();
  return PLACES.get(lower) ?? lower;
}

function hooksIn(settings: unknown): { readonly event: string; readonly matcher: string | null }[] {
  const hooks = field(settings, 'hooks');
  return Object.entries(isJsonObject(hooks) ? hooks : {}).flatMap(([event, entries]) =>
    (Array.isArray(entries) ? entries : []).map((entry) => ({ event, matcher: stringField(entry, 'matcher') || null })),
  );
}

function pluginsIn(
  sources: readonly { readonly from: LoadedFrom; readonly settings: unknown }[],
  listed: readonly unknown[],
): Loaded['plugins'] {
  const plugins = new Map<string, LoadedFrom>();
  for (const { from, settings } of sources) {
    const enabled = field(settings, 'enabledPlugins');
    for (const [name, on] of Object.entries(isJsonObject(enabled) ? enabled : {})) if (on) plugins.set(name, from);
  }
  for (const plugin of listed) {
    const name = stringField(plugin, 'source') ?? stringField(plugin, 'name');
    if (name === undefined || stringField(plugin, 'path') === 'builtin' || plugins.has(name)) continue;
    plugins.set(name, placeOf(name.split('@')[1]));
  }
  return Array.from(plugins, ([name, from]) => ({ from, name }));
}

/** The named entries of a list. */
function named(value: unknown, list: string, key: string): { readonly name: string; readonly entry: unknown }[] {
  return arrayField(value, list).flatMap((entry) => {
    const name = stringField(entry, key);
    return name === undefined ? [] : [{ name, entry }];
  });
}

function ofPlaces(entries: ReturnType<typeof named>): { readonly from: LoadedFrom; readonly name: string }[] {
  return entries.flatMap(({ name, entry }) => {
    const from = placeOf(stringField(entry, 'source'));
    return from === 'built-in' ? [] : [{ from, name }];
  });
}
