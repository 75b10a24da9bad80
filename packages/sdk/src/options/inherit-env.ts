import type { InheritEnv } from './groups.ts';

/** `CLAUDECODE` would make the CLI think it runs inside itself; `NODE_OPTIONS` are the host's own. */
const NEVER: readonly string[] = ['CLAUDECODE', 'NODE_OPTIONS'];

/** True when the CLI gets the host's variable `name`. */
export function inherits(rule: InheritEnv, name: string, platform: string): boolean {
  const same = (a: string, b: string): boolean => sameVariable(a, b, platform);
  if (rule === false || NEVER.some((never) => same(never, name))) return false;
  if (rule === true) return true;
  return rule.some((pattern) =>
    pattern.endsWith('*') ? same(pattern.slice(0, -1), name.slice(0, pattern.length - 1)) : same(pattern, name),
  );
}

/** Windows does not tell `Path` from `PATH`. */
export function sameVariable(a: string, b: string, platform: string): boolean {
  return platform === 'win32' ? a.toUpperCase() === b.toUpperCase() : a === b;
}
