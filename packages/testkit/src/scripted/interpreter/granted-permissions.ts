import { type JsonObject, objectsIn, textsIn } from '../../json.ts';
import type { RuleSet } from './permission-rules/rule.ts';

/** What answers of the host have changed since the start. */
export interface GrantedPermissions {
  readonly rules: Record<keyof RuleSet, string[]>;
  readonly directories: string[];
  /** Changes that the scripted CLI does not follow. */
  readonly unclear: string[];
}

export function noGrants(): GrantedPermissions {
  return { rules: { allow: [], deny: [], ask: [] }, directories: [], unclear: [] };
}

/** Applies the permissions that an answer requests; returns the mode it sets. */
export function grant(granted: GrantedPermissions, updates: unknown): string | undefined {
  let mode: string | undefined;
  for (const update of objectsIn(updates)) {
    const { type, behavior = 'allow' } = update;
    if (type === 'setMode' && typeof update.mode === 'string') mode = update.mode;
    else if (type === 'addDirectories') granted.directories.push(...textsIn(update.directories));
    else if (type === 'addRules' && isBehavior(behavior)) granted.rules[behavior].push(...rulesIn(update));
    else granted.unclear.push(`updatedPermissions with ${String(type)}`);
  }
  return mode;
}

function rulesIn(update: JsonObject): string[] {
  return objectsIn(update.rules).flatMap(({ toolName, ruleContent }) => {
    if (typeof toolName !== 'string') return [];
    return [typeof ruleContent === 'string' ? `${toolName}(${ruleContent})` : toolName];
  });
}

function isBehavior(value: unknown): value is keyof RuleSet {
  return value === 'allow' || value === 'deny' || value === 'ask';
}
