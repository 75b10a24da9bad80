import type { OptionName } from './groups.ts';

/** Some options of one layer, already checked. */
export type LayerValues = Readonly<Record<string, unknown>>;

/** These are objects of independent entries, so layers add to each other instead of hiding each other. */
export const mergedByKey: readonly OptionName[] = ['env', 'mcpServers', 'hooks', 'agents', 'limits', 'extraArgs'];

/** Two ways to say one thing: giving the one takes the other out of the layers below. */
const ALTERNATIVES: readonly (readonly [OptionName, OptionName])[] = [
  ['systemPrompt', 'systemPromptFile'],
  ['thinking', 'maxThinkingTokens'],
];

/**
 * Lays layers over each other, the strongest first: turn, session, client, environment, defaults. A list replaces a
 * list; objects of independent entries merge by key. Nothing is hidden by `undefined`, except that in `env` it removes a
 * variable.
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
      } else if (!taken.some((option) => option === name)) {
        merged.set(name, value);
      }
    }
  }
  return Object.fromEntries(merged);
}

function mergeByKey(upper: unknown, lower: unknown, undefinedCounts: boolean): unknown {
  const entries = Object.entries(upper ?? {}).filter(([, value]) => undefinedCounts || value !== undefined);
  return { ...(lower ?? {}), ...Object.fromEntries(entries) };
}
