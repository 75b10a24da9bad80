import type { JsonObject } from '../script-data.ts';
import type { Conversation } from './conversation.ts';
import { objectOf, objectsIn } from './json.ts';
import { isWhole, namesTool, parseRule, type RuleSet } from './permission-rules/rule.ts';
import type { RulingTerms } from './permission-rules/ruling.ts';

/** The changes made by answers of the host. */
export interface GrantedPermissions {
  readonly rules: Record<keyof RuleSet, string[]>;
  readonly directories: string[];
  /** Changes that the scripted CLI does not support. */
  readonly unclear: string[];
}

export function noGrants(): GrantedPermissions {
  return { rules: { allow: [], deny: [], ask: [] }, directories: [], unclear: [] };
}

/** The current rules for a call: the flags, the settings of the command line, and later grants. */
export function termsOf(conversation: Conversation): RulingTerms {
  const { args, world, granted, permissionMode, settings } = conversation;
  const given = objectOf(world.settings?.permissions) ?? {};
  const rules = (behavior: keyof RuleSet, flags: readonly string[]) =>
    [...flags, ...textsIn(given[behavior]), ...granted.rules[behavior]].map(parseRule);
  const added = [...(args.flags.get('--add-dir') ?? []), ...textsIn(given.additionalDirectories)];
  const [unclear] = [...granted.unclear, ...(settings.permissions === undefined ? [] : ['apply_flag_settings'])];
  return {
    mode: permissionMode,
    rules: {
      allow: rules('allow', args.allowedTools),
      deny: rules('deny', args.disallowedTools),
      ask: rules('ask', []),
    },
    base: { cwd: world.cwd, home: world.env.HOME },
    added: [...added, ...granted.directories],
    ...(unclear !== undefined && { unclear }),
  };
}

/** True if a rule removes a whole tool from the agent. */
export function isRemoved(conversation: Conversation, tool: string): boolean {
  return termsOf(conversation).rules.deny.some((rule) => isWhole(rule) && namesTool(rule, tool));
}

/** The mode in which a session starts. */
export function startingMode(flag: string | undefined, settings: JsonObject | undefined): string {
  const { defaultMode } = objectOf(settings?.permissions) ?? {};
  return flag ?? (typeof defaultMode === 'string' ? defaultMode : 'default');
}

/** Applies the permissions that an answer requests; returns the mode it sets. */
export function grant({ granted }: Conversation, updates: unknown): string | undefined {
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

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
