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
  if (rule) conversation.uses.set(rule, (conversation.uses.get(rule) ?? 0) + 1);
  return rule;
}

/** True if a rule applies to this run of the agent. */
export function holdsInRun({ world }: Conversation, { inRun }: Pick<Rule, 'inRun'>): boolean {
  return inRun === null || inRun === world.run;
}

function fits({ prompt: pattern }: Rule, prompt: string, which: 'any' | 'specific'): boolean {
  if (pattern === null) return which === 'any';
  // A sticky or global expression would keep its position.
  return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).test(prompt);
}
