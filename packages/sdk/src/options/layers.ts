import { isGuardEvent, knownHookEvents } from '../callbacks/abilities.ts';
import type { Report } from '../errors/options.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { isJsonObject } from '../wire/kinds.ts';
import { type OptionLayer, RESTART_MISPLACED, readLayer } from './option-layer.ts';
import type { OptionName } from './option-types.ts';
import { requiresSandbox, sandboxIn } from './sandbox.ts';
import { isConnectable } from './sdk-server.ts';
import { denyRulesIn } from './settings-check.ts';

/** The options of one layer, already checked. */
export type LayerValues = { readonly [N in OptionName]?: unknown };

/** Objects of independent entries: layers add to them instead of replacing them. */
export const mergedByKey: readonly OptionName[] = ['env', 'mcpServers', 'hooks', 'agents', 'limits', 'extraArgs'];

/** Options that only one run can use, so that defaults of several runs cannot contain them. */
const OF_ONE_RUN = ['signal', 'sessionId', 'resume', 'resumeAt', 'continue', 'forkSession'] as const;

/** An option that only one run can use. */
export type UnshareableOption = (typeof OF_ONE_RUN)[number];

/** Two ways to set one thing: a layer that gives one of them removes the other from the layers below. */
const ALTERNATIVES: readonly (readonly [OptionName, OptionName])[] = [
  ['systemPrompt', 'systemPromptFile'],
  ['thinking', 'maxThinkingTokens'],
];

/** The events whose hooks can prevent something. */
const GUARD_EVENTS = knownHookEvents.filter(isGuardEvent);

/**
 * Merges layers, the strongest first: turn, session, client, environment, defaults. A list replaces a list; objects of
 * independent entries are merged by key, and lists of observers are joined. `undefined` hides nothing, except that in `env` it removes a variable.
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

/** Reads the defaults of several runs, and reports what these cannot contain. All other problems are those of each run. */
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

/** Warns about guards of lower layers that a stronger layer replaces: hooks of an event, rules that deny, the sandbox. */
export function lostGuards(layers: readonly LayerValues[]): Warning[] {
  const guarding = layers.filter(({ hooks, disallowedTools }) => hooks !== undefined || disallowedTools !== undefined);
  const lost =
    guarding.length < 2
      ? []
      : [
          ...GUARD_EVENTS.flatMap((event) => lostHooks(guarding, event)),
          ...lostRules('disallowedTools', deniedIn(guarding)),
        ];
  return [...lost, ...lostSettings(layers), ...lostSandbox(layers)];
}

/** Settings replace each other as a whole, with the rules in them. */
function lostSettings(layers: readonly LayerValues[]): Warning[] {
  const option = 'settings.permissions.deny';
  return lostRules(
    option,
    layers.flatMap(({ settings }) => (settings === undefined ? [] : [denyRulesIn(settings)])),
  );
}

/** A stronger layer that turns it off does so on purpose; one that does not mention it, by mistake. */
function lostSandbox(layers: readonly LayerValues[]): Warning[] {
  const below = layers.find(requiresSandbox);
  if (below === undefined || sandboxIn(layer(...layers))?.enabled !== undefined) return [];
  const option = below.sandbox === undefined ? 'settings' : 'sandbox';
  const message = `${option} replaces that of the defaults, so the sandbox is not turned on. Repeat enabled: true.`;
  return [warning('guard-replaced', message, { option, lost: 1 })];
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

/** The items that only the lists below the first contain. */
function lostItems(lists: readonly (readonly unknown[])[], identity: (item: unknown) => unknown): unknown[] {
  const [first = [], ...below] = lists;
  const kept = new Set(first.map(identity));
  return [...new Set(below.flat())].filter((item) => !kept.has(identity(item)));
}

/** The check copied the hook, but not its function. */
function runOf(hook: unknown): unknown {
  return isJsonObject(hook) && 'run' in hook ? hook.run : hook;
}

function joined(...lists: readonly unknown[]): unknown[] {
  // Whatever is no list is refused by its check.
  return [...new Set(lists.flatMap((list) => (Array.isArray(list) ? list : [])))];
}

function mergeByKey(upper: unknown, lower: unknown, undefinedCounts: boolean): unknown {
  const entries = Object.entries(upper ?? {}).filter(([, value]) => undefinedCounts || value !== undefined);
  return { ...(lower ?? {}), ...Object.fromEntries(entries) };
}
