import type { Rule } from '../script-data.ts';
import type { Conversation } from './conversation.ts';

/** The rule for a prompt; each use counts. */
export function ruleFor(
  conversation: Conversation,
  prompt: string,
  which: 'any' | 'specific' = 'any',
): Rule | undefined {
  const rule = conversation.script.rules.find((candidate) => {
    const used = conversation.uses.get(candidate) ?? 0;
    if (candidate.times !== null && used >= candidate.times) return false;
    if (!holdsInRun(conversation, candidate)) return false;
    return fits(candidate, prompt, which);
  });
  if (rule) useRule(conversation, rule);
  return rule;
}

/** Counts a use of a rule. */
export function useRule({ uses }: Conversation, rule: Rule): void {
  uses.set(rule, (uses.get(rule) ?? 0) + 1);
}

/** True if a rule applies to this run of the agent. */
export function holdsInRun({ world }: Conversation, { inRun }: Pick<Rule, 'inRun'>): boolean {
  return inRun === null || inRun === world.run;
}

/** True if a rule answers this prompt; `specific` excludes a rule for every prompt. */
export function fits({ prompt: pattern }: Rule, prompt: string, which: 'any' | 'specific' = 'any'): boolean {
  if (pattern === null) return which === 'any';
  // A sticky or global expression would keep its position.
  return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).test(prompt);
}
