import type { LayerValues } from './layers.ts';
import type { InheritEnv, OptionName } from './option-types.ts';

/** The host that the options are checked against. */
export interface HostFacts {
  /** `process.platform`. */
  readonly platform: string;
  /** `process.getuid()`, if the platform has it. */
  readonly uid: number | undefined;
  /** `process.env`. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A variable that sets an option which no layer gives. */
export interface EnvironmentVariable {
  readonly name: `COXSWAIN_${string}`;
  readonly option: OptionName;
  readonly kind: 'text' | 'number' | 'switch';
}

/** All such variables. `COXSWAIN_CLI` is not one of them: `cli: 'auto'` reads it. */
export const environmentTable: readonly EnvironmentVariable[] = [
  { name: 'COXSWAIN_MODEL', option: 'model', kind: 'text' },
  { name: 'COXSWAIN_MAX_BUDGET_USD', option: 'maxBudgetUsd', kind: 'number' },
  { name: 'COXSWAIN_TIMEOUT_MS', option: 'timeoutMs', kind: 'number' },
  { name: 'COXSWAIN_IDLE_TIMEOUT_MS', option: 'idleTimeoutMs', kind: 'number' },
  { name: 'COXSWAIN_DEBUG', option: 'debug', kind: 'switch' },
];

/** The layer that comes from the environment; an empty variable counts as unset. */
export function environmentLayer(env: Readonly<Record<string, string | undefined>>): LayerValues {
  const given = environmentTable.flatMap(({ name, option, kind }): [string, unknown][] => {
    const text = env[name];
    return text === undefined || text === '' ? [] : [[option, parsed(text, kind)]];
  });
  return Object.fromEntries(given);
}

/**
 * `CLAUDECODE` would make the CLI think it runs inside itself, `CLAUDE_CODE_CHILD_SESSION` that another CLI keeps its
 * conversation; `NODE_OPTIONS` are meant for the host.
 */
const NEVER_INHERITED: readonly string[] = ['CLAUDECODE', 'CLAUDE_CODE_CHILD_SESSION', 'NODE_OPTIONS'];

/** True if the CLI inherits the host's variable `name`. */
export function inherits(rule: InheritEnv, name: string, platform: string): boolean {
  if (rule === false || NEVER_INHERITED.includes(platform === 'win32' ? name.toUpperCase() : name)) return false;
  return rule === true || rule.some((pattern) => matches(pattern, name, platform));
}

/** Windows does not distinguish `Path` from `PATH`. */
export function sameVariable(a: string, b: string, platform: string): boolean {
  return platform === 'win32' ? a.toUpperCase() === b.toUpperCase() : a === b;
}

function matches(pattern: string, name: string, platform: string): boolean {
  if (!pattern.endsWith('*')) return sameVariable(pattern, name, platform);
  return sameVariable(pattern.slice(0, -1), name.slice(0, pattern.length - 1), platform);
}

/** Text that is not a number stays text, so that the check of the option reports it. */
function parsed(text: string, kind: EnvironmentVariable['kind']): unknown {
  if (kind === 'number') return /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
  if (kind === 'switch' && /^(1|true|0|false)$/i.test(text)) return /^(1|true)$/i.test(text);
  return text;
}
