import type { OptionName } from './groups.ts';
import type { LayerValues } from './precedence.ts';

/** A variable that stands in for an option nobody gave. */
export interface EnvironmentVariable {
  readonly name: `COXSWAIN_${string}`;
  readonly option: OptionName;
  readonly kind: 'text' | 'number' | 'switch';
  readonly doc: string;
}

/** Every such variable. `COXSWAIN_CLI` is not among them: it is part of what `cli: 'auto'` means. */
export const environmentTable: readonly EnvironmentVariable[] = [
  { name: 'COXSWAIN_MODEL', option: 'model', kind: 'text', doc: 'The model.' },
  {
    name: 'COXSWAIN_MAX_BUDGET_USD',
    option: 'maxBudgetUsd',
    kind: 'number',
    doc: 'US dollars after which a run ends.',
  },
  { name: 'COXSWAIN_TIMEOUT_MS', option: 'timeoutMs', kind: 'number', doc: 'How long a run, or a turn, may take.' },
  { name: 'COXSWAIN_IDLE_TIMEOUT_MS', option: 'idleTimeoutMs', kind: 'number', doc: 'How long the CLI may be silent.' },
  { name: 'COXSWAIN_DEBUG', option: 'debug', kind: 'switch', doc: "The CLI's debug log: `1`, `0`, or categories." },
];

/** The names of the variables by their option. */
export const environmentVariables: ReadonlyMap<OptionName, string> = new Map(
  environmentTable.map(({ option, name }) => [option, name]),
);

/** The layer that comes from the environment; an empty variable is none. */
export function environmentLayer(env: Readonly<Record<string, string | undefined>>): LayerValues {
  const given = environmentTable.flatMap(({ name, option, kind }): [string, unknown][] => {
    const text = env[name];
    return text === undefined || text === '' ? [] : [[option, parsed(text, kind)]];
  });
  return Object.fromEntries(given);
}

/** What is no number stays text, so that the check of the option refuses it by what it is. */
function parsed(text: string, kind: EnvironmentVariable['kind']): unknown {
  if (kind === 'number') return /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
  if (kind === 'switch' && /^(1|true|0|false)$/i.test(text)) return /^(1|true)$/i.test(text);
  return text;
}
