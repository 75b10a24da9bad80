import { isGuardEvent, knownHookEvents } from '../callbacks/abilities.ts';
import type { Report } from '../errors/options.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { isJsonObject } from '../wire/kinds.ts';
import { type OptionLayer, RESTART_MISPLACED, readLayer } from './option-layer.ts';
import type { OptionName } from './option-types.ts';
import { requiresSandbox, sandboxIn } from './sandbox.ts';
import { isConnectable } from './sdk-server.ts';
import { denyRulesIn } from './settings-check.ts';

/** One layer of options, already checked. */
export type LayerValues = { readonly [N in OptionName]?: unknown };

/** Objects with independent entries: a layer adds to them instead of replacing them. */
export const mergedByKey: readonly OptionName[] = ['env', 'mcpServers', 'hooks', 'agents', 'limits', 'extraArgs'];

/** Options that only one run can use, so that shared defaults cannot contain them. */
const OF_ONE_RUN = ['signal', 'sessionId', 'resume', 'resumeAt', 'continue', 'forkSession'] as const;

/** An option that only one run can use. */
export type UnshareableOption = (typeof OF_ONE_RUN)[number];

/** Two options for the same setting: a layer that has one of them removes the other from weaker layers. */
const ALTERNATIVES: readonly (readonly [OptionName, OptionName])[] = [
  ['systemPrompt', 'systemPromptFile'],
  ['thinking', 'maxThinkingTokens'],
];

/** The events whose hooks can prevent something. */
const GUARD_EVENTS = knownHookEvents.filter(isGuardEvent);

/**
 * Merges layers, strongest first: turn, session, client, environment, defaults. A list replaces a list; objects with
 * independent entries are merged by key, and lists of observers are concatenated. `undefined` has no effect, except in `env`,
 * where it removes a variable.
 */
export function layer(...layers: readonly LayerValues[]): Record<string, unknown> {
  const merged = new Map<string, unknown>();
  for (const values of layers) {
    const taken = ALTERNATIVES.filter((pair) => pair.some((name) => merged.has(name))).flat();
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) continue;
      if (merged.has(name)) {
        if (mergedByKey.some((option) => option === name))
          merged.set(name, mergeByKey(merged.get(name), value, name === 'env'));
        else if (name === 'observers') merged.set(name, joined(merged.get(name), value));
      } else if (!taken.some((option) => option === name)) {
        merged.set(name, value);
      }
    }
  }
  return Object.fromEntries(merged);
}

/** Reads shared defaults and reports options that they cannot contain. Each run reports all other problems. */
export function readDefaults(defaults: unknown, remedy: string, report: Report): OptionLayer {
  const given = readLayer(defaults, { beside: ['restart'] });
  const { values, bad, beside } = given;
  for (const name of OF_ONE_RUN) {
    if (values[name] !== undefined || bad.has(name)) report(name, `belongs to one run: ${remedy}.`);
  }
  if (beside.restart !== undefined) report('restart', RESTART_MISPLACED);
  if (isJsonObject(values.transport)) {
    report('transport', 'is a single connection, which only one run can use: pass a function that creates one.');
  }
  for (const [name, server] of Object.entries(values.mcpServers ?? {})) {
    if (!isConnectable(server)) continue;
    const message =
      'is a single server, which only one session at a time can use: pass { create: () => server } instead.';
    report(`mcpServers.${name}`, message);
  }
  return given;
}

/** Warns about guards that a stronger layer replaces: hooks of an event, deny rules, the sandbox, a limited network of an isolation. */
export function lostGuards(layers: readonly LayerValues[]): Warning[] {
  const guarding = layers.filter(({ hooks, disallowedTools }) => hooks !== undefined || disallowedTools !== undefined);
  const lost =
    guarding.length < 2
      ? []
      : [
          ...GUARD_EVENTS.flatMap((event) => lostHooks(guarding, event)),
          ...lostRules('disallowedTools', deniedIn(guarding)),
        ];
  return [...lost, ...lostSettings(layers), ...lostSandbox(layers), ...lostNetworkLimit(layers)];
}

/** A settings object replaces the weaker one as a whole, including its rules. */
function lostSettings(layers: readonly LayerValues[]): Warning[] {
  const option = 'settings.permissions.deny';
  return lostRules(
    option,
    layers.flatMap(({ settings }) => (settings === undefined ? [] : [denyRulesIn(settings)])),
  );
}

/** A stronger layer that turns the sandbox off does so on purpose; one that omits `enabled` probably does so by mistake. */
function lostSandbox(layers: readonly LayerValues[]): Warning[] {
  const below = layers.find(requiresSandbox);
  if (below === undefined || sandboxIn(layer(...layers))?.enabled !== undefined) return [];
  const option = below.sandbox === undefined ? 'settings' : 'sandbox';
  const message = `${option} replaces the ${option} of the defaults, so the sandbox is not turned on. Repeat enabled: true.`;
  return [warning('guard-replaced', message, { option, lost: 1 })];
}

/** A stronger layer that allows the network names it; one that omits it probably does so by mistake. */
function lostNetworkLimit(layers: readonly LayerValues[]): Warning[] {
  const given = layers.flatMap(({ isolate }) => (isolate === undefined ? [] : [isJsonObject(isolate) ? isolate : {}]));
  const isLimited = given.some(({ network = 'host' }) => network !== 'host');
  if (given[0]?.network !== undefined || !isLimited) return [];
  const message = `isolate replaces the isolate of the defaults, so the CLI has the network of the machine. Repeat its network.`;
  return [warning('guard-replaced', message, { option: 'isolate', lost: 1 })];
}

function lostHooks(layers: readonly LayerValues[], event: string): Warning[] {
  const lists = layers.flatMap(({ hooks }) => {
    const list: unknown = hooks && Reflect.get(hooks, event);
    return list === undefined ? [] : [[list].flat()];
  });
  const lost = lostItems(lists, runOf).length;
  const option = `hooks.${event}`;
  const message = `${option} replaces the ${event} hooks of the defaults: ${lost} of them will not run. Pass all of them in one list.`;
  return lost === 0 ? [] : [warning('guard-replaced', message, { option, lost })];
}

function lostRules(option: string, lists: readonly (readonly unknown[])[]): Warning[] {
  const rules = lostItems(lists, (rule) => rule);
  const message = `${option} replaces the list of the defaults, so ${rules.join(', ')} will not be denied. Pass all rules in one list.`;
  return rules.length === 0 ? [] : [warning('guard-replaced', message, { option, lost: rules.length, rules })];
}

function deniedIn(layers: readonly LayerValues[]): (readonly unknown[])[] {
  return layers.flatMap(({ disallowedTools }) => (Array.isArray(disallowedTools) ? [disallowedTools] : []));
}

/** The items that are missing from the first list. */
function lostItems(lists: readonly (readonly unknown[])[], identity: (item: unknown) => unknown): unknown[] {
  const [first = [], ...below] = lists;
  const kept = new Set(first.map(identity));
  return [...new Set(below.flat())].filter((item) => !kept.has(identity(item)));
}

/** The check copies the hook but not its function, so the function identifies it. */
function runOf(hook: unknown): unknown {
  return isJsonObject(hook) && 'run' in hook ? hook.run : hook;
}

function joined(...lists: readonly unknown[]): unknown[] {
  // The option's check refuses anything other than a list.
  return [...new Set(lists.flatMap((list) => (Array.isArray(list) ? list : [])))];
}

function mergeByKey(upper: unknown, lower: unknown, undefinedCounts: boolean): unknown {
  const entries = Object.entries(upper ?? {}).filter(([, value]) => undefinedCounts || value !== undefined);
  return { ...(lower ?? {}), ...Object.fromEntries(entries) };
}
