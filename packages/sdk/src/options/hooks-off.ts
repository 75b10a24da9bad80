import type { Report } from '../errors/options.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import type { AgentOptions } from './option-types.ts';

/** With this variable, as with `--bare`, the CLI calls no hook. Measured on 2.1.197, 2.1.290 and 2.1.325. */
export const NO_HOOKS_VARIABLE = 'CLAUDE_CODE_SIMPLE';

/** The problem with hooks that the CLI would not call. */
export const HOOKS_OFF = 'keeps the CLI from calling any hook, including those in the options. Remove it or the hooks.';

/** Reports options that disable the hooks given with them. */
export function checkHooksOff(values: AgentOptions, report: Report): void {
  if (!hasHooks(values)) return;
  const { env, settings, extraArgs } = values;
  if (isOn(env?.[NO_HOOKS_VARIABLE])) report(`env.${NO_HOOKS_VARIABLE}`, HOOKS_OFF);
  if (switchesHooksOff(settings)) report(`settings.env.${NO_HOOKS_VARIABLE}`, HOOKS_OFF);
  if (extraArgs?.bare !== undefined && extraArgs.bare !== false) report('extraArgs.bare', HOOKS_OFF);
}

/** Adds a setting that keeps hooks on, even if a settings file of the user changes while the CLI runs. */
export function keepingHooksOn(settings: JsonObject = {}): JsonObject {
  const env = isJsonObject(settings.env) ? settings.env : {};
  return { ...settings, env: { ...env, [NO_HOOKS_VARIABLE]: '0' } };
}

/** True if the options contain a hook. */
export function hasHooks({ hooks = {} }: Pick<AgentOptions, 'hooks'>): boolean {
  return Object.values(hooks).some((list) => list !== undefined && [list].flat().length > 0);
}

/** True for settings with which the CLI calls no hook. */
export function switchesHooksOff(settings: unknown): boolean {
  const { env } = isJsonObject(settings) ? settings : {};
  return isJsonObject(env) && isOn(env[NO_HOOKS_VARIABLE]);
}

/** Every value counts as on unless the CLI reads it as off. */
function isOn(value: unknown): boolean {
  return value !== undefined && !/^(0|false|no|off)?$/i.test(String(value).trim());
}
