import { suggest } from '@coxswain/shared/unknown-name';
import type { AgentOptions } from '../options/option-types.ts';
import { isJsonObject } from '../wire/kinds.ts';
import { plainJson } from './plain-json.ts';

/** The options that decide whether answers may change permission rules and the permission mode. */
export type UpdateTerms = Pick<AgentOptions, 'allowPermissionUpdates' | 'allowDangerouslySkipPermissions'>;

/**
 * Copies the permission updates of an answer. An answer that changes nothing needs no option.
 * @throws TypeError when they cannot be sent, or the options do not let answers change permissions
 */
export function permissionUpdates(updates: unknown, terms: UpdateTerms): readonly unknown[] {
  const plain = plainJson(updates, 'updatedPermissions');
  if (!Array.isArray(plain)) throw new TypeError('updatedPermissions must be an array of plain data');
  if (plain.length > 0 && terms.allowPermissionUpdates !== true) {
    throw new TypeError(
      'updatedPermissions changes the permissions of the session, which answers may do only with the option allowPermissionUpdates: true',
    );
  }
  for (const [index, update] of plain.entries()) {
    const problem = updateProblem(update);
    if (problem !== undefined) throw new TypeError(`updatedPermissions[${index}] ${problem}`);
    if (bypasses(update) && terms.allowDangerouslySkipPermissions !== true) {
      throw new TypeError('the mode bypassPermissions needs the option allowDangerouslySkipPermissions: true as well');
    }
  }
  return plain;
}

type Fits = (value: unknown) => boolean;

const isText: Fits = (value) => typeof value === 'string' && value !== '';
const isBehavior: Fits = (value) => value === 'allow' || value === 'deny' || value === 'ask';

/** A misspelt `ruleContent` would make a rule for some calls one for all. */
const isRule: Fits = (value) =>
  isJsonObject(value) &&
  isText(value.toolName) &&
  Object.keys(value).every((name) => name === 'ruleContent' || suggest(name, ['ruleContent']) === undefined);

const listOf =
  (fits: Fits): Fits =>
  (value) =>
    Array.isArray(value) && value.every(fits);

const changesRules = { rules: listOf(isRule), behavior: isBehavior, destination: isText };
const changesFolders = { directories: listOf(isText), destination: isText };

/** What each type needs. Suggestions of the CLI are sent back as they are: other fields may be those of a newer release. */
const NEEDS: Readonly<Record<string, Readonly<Record<string, Fits>>>> = {
  addRules: changesRules,
  replaceRules: changesRules,
  removeRules: changesRules,
  addDirectories: changesFolders,
  removeDirectories: changesFolders,
  setMode: { mode: isText, destination: isText },
};

/** Why the CLI would read something else than the update says. */
function updateProblem(update: unknown): string | undefined {
  if (!isJsonObject(update) || typeof update.type !== 'string') return 'must be an object with a type';
  const { type } = update;
  if (!Object.hasOwn(NEEDS, type)) {
    const meant = suggest(type, Object.keys(NEEDS));
    return meant === undefined ? undefined : `has an unknown type. Did you mean ${meant}?`;
  }
  const wrong = Object.entries(NEEDS[type] ?? {}).find(([name, fits]) => !fits(update[name]));
  return wrong && `has no usable ${wrong[0]}`;
}

function bypasses(update: unknown): boolean {
  return isJsonObject(update) && update.type === 'setMode' && update.mode === 'bypassPermissions';
}
