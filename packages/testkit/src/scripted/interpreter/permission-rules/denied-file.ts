import { EDITORS, type RuledCall, restrains } from './rule-fits.ts';
import type { RulingTerms } from './ruling.ts';

/** True if a rule denies the file of a call: the CLI answers such a call without asking. */
export function isDeniedFile(call: RuledCall, { rules, base }: RulingTerms): boolean {
  if (call.name !== 'Read' && !EDITORS.has(call.name)) return false;
  return rules.deny.some((rule) => rule.content !== undefined && restrains(rule, call, base) === 'yes');
}
