import { objectOf, textsIn } from '../../json.ts';
import type { Conversation } from './conversation.ts';
import { isWhole, namesTool, parseRule, type RuleSet } from './permission-rules/rule.ts';
import type { RulingTerms } from './permission-rules/ruling.ts';

/** What applies to a call now: the flags, the settings of the command line, and what was granted since. */
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

/** Whether a rule takes a whole tool away from the agent. */
export function isRemoved(conversation: Conversation, tool: string): boolean {
  return termsOf(conversation).rules.deny.some((rule) => isWhole(rule) && namesTool(rule, tool));
}
