import type { OptionName } from './groups.ts';

/** Some options of one layer, already checked. */
export type LayerValues = Readonly<Record<string, unknown>>;

/** These are objects of independent entries, so layers add to each other instead of hiding each other. */
const MERGED_BY_KEY: readonly string[] = ['env', 'mcpServers', 'hooks', 'limits', 'agents'] satisfies (
  | OptionName
  | 'hooks'
)[];

/** Two ways to say one thing: giving the one takes the other out of the layers below. */
const ALTERNATIVES: readonly (readonly [OptionName, OptionName])[] = [
  ['systemPrompt', 'systemPromptFile'],
  ['thinking', 'maxThinkingTokens'],
];

/**
 * The variables that stand in for options nobody gave. `COXSWAIN_CLI` is not among them: it is part of what
 * `cli: 'auto'` means.
 */
export const environmentVariables: ReadonlyMap<OptionName, string> = new Map([
  ['model', 'COXSWAIN_MODEL'],
  ['timeoutMs', 'COXSWAIN_TIMEOUT_MS'],
  ['idleTimeoutMs', 'COXSWAIN_IDLE_TIMEOUT_MS'],
]);

/** The layer that comes from the environment; an empty variable is none. */
export function environmentLayer(env: Readonly<Record<string, string | undefined>>): LayerValues {
  const values: Record<string, unknown> = {};
  for (const [option, variable] of environmentVariables) {
    const text = env[variable];
    if (text === undefined || text === '') continue;
    values[option] = option.endsWith('Ms') ? Number(text) : text;
  }
  return values;
}

/**
 * Lays layers over each other, the strongest first: turn, session, client, environment, defaults. A list replaces a
 * list; `env`, `mcpServers`, `agents` and `limits` merge by key. Nothing is hidden by `undefined`, except that in `env`
 * it removes a variable.
 */
export function layer(...layers: readonly LayerValues[]): Record<string, unknown> {
  const merged = new Map<string, unknown>();
  for (const values of layers) {
    const taken = ALTERNATIVES.filter((pair) => pair.some((name) => merged.has(name))).flat();
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) continue;
      if (merged.has(name)) {
        if (MERGED_BY_KEY.includes(name)) merged.set(name, mergeByKey(merged.get(name), value, name === 'env'));
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
