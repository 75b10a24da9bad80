import { EDITORS, type RuledCall, restrains } from './rule-fits.ts';
import type { RulingTerms } from './ruling.ts';

/** Whether a rule denies the file that a call is about: the CLI answers such a call before it asks anyone. */
export function isDeniedFile(call: RuledCall, { rules, base }: RulingTerms): boolean {
  if (call.name !== 'Read' && !EDITORS.has(call.name)) return false;
  return rules.deny.some((rule) => rule.content !== undefined && restrains(rule, call, base) === 'yes');
}
