import { unknownName } from '@coxswain/shared/unknown-name';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import { strayField } from './decision-fields.ts';
import { plainJson } from './plain-json.ts';

/** The options that decide whether answers may change permission rules and the permission mode. */
export interface UpdateTerms {
  readonly allowPermissionUpdates?: boolean | undefined;
  readonly allowDangerouslySkipPermissions?: boolean | undefined;
}

/**
 * Copies the permission updates of an answer. An answer that changes nothing needs no option. An unknown field or type is
 * accepted only if the CLI suggested it, because it may be from a newer release.
 * @throws TypeError when they cannot be sent, or the options do not let answers change permissions
 */
export function permissionUpdates(updates: unknown, terms: UpdateTerms, suggested?: unknown): readonly unknown[] {
  const plain = plainJson(updates, 'updatedPermissions');
  if (!Array.isArray(plain)) throw new TypeError('updatedPermissions must be an array of plain data');
  if (plain.length > 0 && terms.allowPermissionUpdates !== true) {
    throw new TypeError(
      'updatedPermissions changes the permissions of the session, which answers may do only with the option allowPermissionUpdates: true',
    );
  }
  for (const [index, update] of plain.entries()) {
    const problem = updateProblem(update, Array.isArray(suggested) ? suggested.filter(isJsonObject) : []);
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

const isRule: Fits = (value) =>
  isJsonObject(value) && isText(value.toolName) && (value.ruleContent === undefined || isText(value.ruleContent));

const listOf =
  (fits: Fits): Fits =>
  (value) =>
    Array.isArray(value) && value.every(fits);

const changesRules = { rules: listOf(isRule), behavior: isBehavior, destination: isText };
const changesFolders = { directories: listOf(isText), destination: isText };

/** The required fields of each type. */
const NEEDS: Readonly<Record<string, Readonly<Record<string, Fits>>>> = {
  addRules: changesRules,
  replaceRules: changesRules,
  removeRules: changesRules,
  addDirectories: changesFolders,
  removeDirectories: changesFolders,
  setMode: { mode: isText, destination: isText },
};

/** The problem with an update that the CLI would read differently. */
function updateProblem(update: unknown, suggested: readonly JsonObject[]): string | undefined {
  if (!isJsonObject(update) || typeof update.type !== 'string') return 'must be an object with a type';
  const { type } = update;
  if (!Object.hasOwn(NEEDS, type)) {
    if (suggested.some((each) => each.type === type)) return undefined;
    return `has a type that ${unknownName('type', type, Object.keys(NEEDS))}`;
  }
  const needs = NEEDS[type] ?? {};
  const wrong = Object.entries(needs).find(([name, fits]) => !fits(update[name]));
  if (wrong) return `has no usable ${wrong[0]}`;
  // A dropped field may be the one that restricts a rule to some calls.
  const stray = strayField(update, ['type', ...Object.keys(needs), ...suggested.flatMap(Object.keys)]);
  const known = ['toolName', 'ruleContent', ...suggested.flatMap(rulesOf).flatMap(Object.keys)];
  const problem = stray ?? rulesOf(update).flatMap((rule) => strayField(rule, known) ?? [])[0];
  return problem && `cannot be sent: ${problem}`;
}

function rulesOf({ rules }: JsonObject): JsonObject[] {
  return Array.isArray(rules) ? rules.filter(isJsonObject) : [];
}

function bypasses(update: unknown): boolean {
  return isJsonObject(update) && update.type === 'setMode' && update.mode === 'bypassPermissions';
}
