import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isObject } from '@coxswain/shared/is-object';
import type {
  ResolvedSettingSource,
  ResolvedSettings,
  ResolveSettingsOptions,
  SettingSource,
  Settings,
} from '../declarations/settings.ts';

const ALL: readonly SettingSource[] = ['user', 'project', 'local'];

/**
 * The settings on disk and those given, merged as the CLI merges them: later sources win, lists are joined. Policies that
 * an administrator has installed on the machine are not read; `getSettings()` of a query asks the CLI, which reads them.
 */
export async function resolveSettings(options: ResolveSettingsOptions = {}): Promise<ResolvedSettings> {
  const { cwd = process.cwd(), settingSources = ALL, managedSettings, serverManagedSettings } = options;
  const sources: ResolvedSettings['sources'] = [];
  for (const source of ALL.filter((name) => settingSources.includes(name))) {
    const path = pathOf(source, cwd);
    const settings = await settingsIn(path);
    if (settings) sources.push({ source, settings, path });
  }
  if (managedSettings) sources.push({ source: 'managed', settings: managedSettings, policyOrigin: 'parent' });
  if (serverManagedSettings)
    sources.push({ source: 'managed', settings: serverManagedSettings, policyOrigin: 'remote' });

  let effective: Settings = {};
  const provenance: ResolvedSettings['provenance'] = {};
  for (const { settings, ...origin } of sources) {
    effective = merged(effective, settings);
    for (const name of Object.keys(settings)) provenance[name] = origin;
  }
  return { effective: sorted(effective), provenance, sources, machinePolicy: { didNotLoad: false } };
}

/** The default modes that a source may not give itself: they ask less than the usual one. */
const ESCALATING: Readonly<Partial<Record<ResolvedSettingSource, readonly string[]>>> = {
  project: ['bypassPermissions', 'acceptEdits', 'auto'],
  local: ['bypassPermissions', 'auto'],
};

/** The effective settings without a default mode that a project gives itself and that asks less than the usual one. */
export function filterEscalatingDefaultMode({ effective, sources }: ResolvedSettings): Settings {
  const mode = effective.permissions?.defaultMode;
  const last = sources.findLast(({ settings }) => settings.permissions?.defaultMode !== undefined);
  if (mode === undefined || !last || !ESCALATING[last.source]?.includes(mode)) return effective;
  const { defaultMode: _, ...permissions } = effective.permissions ?? {};
  return { ...effective, permissions };
}

function pathOf(source: SettingSource, cwd: string): string {
  const config = process.env.CLAUDE_CONFIG_DIR || join(homedir(), '.claude');
  if (source === 'user') return join(config, 'settings.json');
  return join(cwd, '.claude', source === 'project' ? 'settings.json' : 'settings.local.json');
}

/** The settings in a file; `undefined` when it has none, or cannot be read. */
async function settingsIn(path: string): Promise<Settings | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isObject(value) && Object.keys(value).length > 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

function merged(below: Settings, above: Settings): Settings {
  const all: Settings = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const old = all[name];
    if (Array.isArray(old) && Array.isArray(value)) all[name] = [...new Set([...old, ...value])];
    else all[name] = isObject(old) && isObject(value) ? merged(old, value) : value;
  }
  return all;
}

function sorted(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1)));
}
