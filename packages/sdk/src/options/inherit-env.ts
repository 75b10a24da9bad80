import type { InheritEnv } from './groups.ts';

/** `CLAUDECODE` would make the CLI think it runs inside itself; `NODE_OPTIONS` are the host's own. */
const NEVER_INHERITED: readonly string[] = ['CLAUDECODE', 'NODE_OPTIONS'];

/** True when the CLI gets the host's variable `name`. */
export function inherits(rule: InheritEnv, name: string, platform: string): boolean {
  if (rule === false || NEVER_INHERITED.includes(platform === 'win32' ? name.toUpperCase() : name)) return false;
  return rule === true || fitsOne(rule, name, platform);
}

function fitsOne(patterns: readonly string[], name: string, platform: string): boolean {
  return patterns.some((pattern) => fits(pattern, name, platform));
}

function fits(pattern: string, name: string, platform: string): boolean {
  if (!pattern.endsWith('*')) return sameVariable(pattern, name, platform);
  return sameVariable(pattern.slice(0, -1), name.slice(0, pattern.length - 1), platform);
}

/** Windows does not tell `Path` from `PATH`. */
export function sameVariable(a: string, b: string, platform: string): boolean {
  return platform === 'win32' ? a.toUpperCase() === b.toUpperCase() : a === b;
}
