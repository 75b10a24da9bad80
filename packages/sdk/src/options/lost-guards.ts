import { isGuardEvent, knownHookEvents } from '../callbacks/abilities.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import type { LayerValues } from './precedence.ts';

/** The events whose hooks can keep something from happening. */
const GUARD_EVENTS = knownHookEvents.filter(isGuardEvent);

/**
 * Warns of guards that a stronger layer takes away from those below: hooks of an event, and rules that deny. Layers are
 * the strongest first, each already checked.
 */
export function lostGuards(layers: readonly LayerValues[]): Warning[] {
  const guarding = layers.filter(({ hooks, disallowedTools }) => hooks !== undefined || disallowedTools !== undefined);
  if (guarding.length < 2) return [];
  return [...GUARD_EVENTS.flatMap((event) => lostHooks(guarding, event)), ...lostRules(guarding)];
}

function lostHooks(layers: readonly LayerValues[], event: string): Warning[] {
  const lists = layers.flatMap(({ hooks }) => {
    const list: unknown = hooks && Reflect.get(hooks, event);
    return list === undefined ? [] : [[list].flat()];
  });
  const lost = lostItems(lists, runOf);
  if (lost.length === 0) return [];
  return [
    warning(
      'guard-replaced',
      `hooks.${event} replaces the ${event} hooks of the defaults below it: ${lost.length} of them will not run. Give both in one list.`,
      { option: `hooks.${event}`, lost: lost.length },
    ),
  ];
}

function lostRules(layers: readonly LayerValues[]): Warning[] {
  const lists = layers.flatMap(({ disallowedTools }) => (Array.isArray(disallowedTools) ? [disallowedTools] : []));
  const rules = lostItems(lists, (rule) => rule);
  if (rules.length === 0) return [];
  return [
    warning(
      'guard-replaced',
      `disallowedTools replaces that of the defaults below it: ${rules.join(', ')} will not be denied by it. Give both in one list.`,
      { option: 'disallowedTools', lost: rules.length, rules },
    ),
  ];
}

/** What only the lists below the first hold. */
function lostItems(lists: readonly (readonly unknown[])[], identity: (item: unknown) => unknown): unknown[] {
  const [first = [], ...below] = lists;
  const kept = new Set(first.map(identity));
  return [...new Set(below.flat())].filter((item) => !kept.has(identity(item)));
}

/** A hook was copied when it was checked; its function is still the caller's. */
function runOf(hook: unknown): unknown {
  return typeof hook === 'object' && hook !== null && 'run' in hook ? hook.run : hook;
}
