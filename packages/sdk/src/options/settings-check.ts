import { suggest } from '@coxswain/shared/unknown-name';
import { isJsonObject } from '../wire/kinds.ts';
import { knownModes } from '../wire/permission-mode.ts';
import { at, type Check, flag, jsonObject, list, oneOf, openWord, shape, text } from './checks.ts';
import type { AgentOptions } from './option-types.ts';
import { settingsDenyRules, settingsRules } from './permission-rule.ts';
import { sandboxCheck } from './sandbox.ts';

/** CLI settings: any plain data, but permissions and sandbox must be readable by the CLI. */
export const settingsObject: Check = (value, path, report) => {
  const settings = jsonObject(value, path, report);
  const { permissions, sandbox, ...others } = isJsonObject(settings) ? settings : {};
  for (const name of Object.keys(others)) {
    const meant = GUARDS.includes(name) ? undefined : suggest(name, GUARDS);
    if (meant !== undefined) report(at(path, name), `is not read by the CLI. Did you mean ${meant}?`);
  }
  if (permissions !== undefined) permissionSettings(permissions, at(path, 'permissions'), report);
  if (sandbox !== undefined) sandboxCheck(sandbox, at(path, 'sandbox'), report);
  return settings;
};

/** The settings that may hold guards: with a misspelt name they would have no effect. */
const GUARDS: readonly string[] = ['permissions', 'sandbox', 'hooks'];

/** True for settings that contain guards. */
export function hasRulesOrHooks(settings: unknown): boolean {
  return isJsonObject(settings) && (settings.permissions !== undefined || settings.hooks !== undefined);
}

/** True if the CLI gets settings in a file that is removed after its start. */
export function hasPrivateSettings({ settings, sandbox }: Pick<AgentOptions, 'settings' | 'sandbox'>): boolean {
  return typeof settings === 'object' || sandbox !== undefined;
}

/** The deny rules in a `settings` object. */
export function denyRulesIn(settings: unknown): readonly unknown[] {
  const { permissions } = isJsonObject(settings) ? settings : {};
  const { deny } = isJsonObject(permissions) ? permissions : {};
  return Array.isArray(deny) ? deny : [];
}

const off = oneOf('disable');
const folders = list(text());

/** The fields that 2.1.325 reads. A misspelt list would deny nothing; a settings file can contain fields of a newer CLI. */
const permissionSettings = shape({
  allow: settingsRules,
  deny: settingsDenyRules,
  ask: settingsRules,
  defaultMode: openWord(...knownModes, 'manual'),
  additionalDirectories: folders,
  disableBypassPermissionsMode: off,
  disableAutoMode: off,
  denyInsteadOfPrompting: flag,
  blockReadsOutsideWorkingDirectories: flag,
  blockFileToolReadsOutsideWorkingDirectories: flag,
  blockWritesOutsideWorkingDirectories: flag,
  blockReadsExemptPaths: folders,
  workingDirectoriesAsGiven: folders,
});
